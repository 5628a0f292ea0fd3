"""Stretches of the log that are owed a summary; extracts without a model; models' shorter forms.

Imports `state`, `extraction.patterns`, `text`. Start at `range_summaries`.
"""
