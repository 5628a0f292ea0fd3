"""Parley: a deliberation server, and the ledger of what a talk has come to."""
