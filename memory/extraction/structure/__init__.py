"""Lines that are weighed by what follows them, not by their words alone.

line_wording ──► window ──► evidence ──► scorecards ──► items.late_items
a line's own     the lines  votes and    integers,      items, born at the line,
form             in reach   restatements weights        detected where revealed

A function of the messages in their order. Imports `state`, `extraction.patterns`, `text`.
Start at `window`.
"""
