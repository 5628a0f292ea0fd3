"""The data that one fold owns: plain trees that it changes in place, and the entry in hand.

Imports `settings`, `extraction.patterns` and `text`. Start at `memory`, then `item_state`;
`effects` are what memory is owed, `fold_step` is the entry being folded.
"""
