"""Votes: called, held by ballots, counted under five rules, carried out. Pure."""
