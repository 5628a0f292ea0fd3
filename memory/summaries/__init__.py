"""Stretches of the log that are owed a summary; extracts without a model; models' shorter forms.

Imports `state`, `text`. Start at `range_summaries`; `extracts` writes what a range comes to.
"""
