"""Votes: called, held by ballots, counted under five rules, carried out.

Imports `state`, `items`, `floor`, `text`. Start at `votes`; `counting_rules` is arithmetic
alone.
"""
