"""Stretches of the log that are owed a summary, and extracts without a model.

Imports `state`, `text`, `extraction`. Start at `range_summaries`; `extracts` writes what a range
comes to.
"""
