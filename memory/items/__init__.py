"""The life of proposals, decisions and positions, from a message's acts to ratification.

Imports `state`, `extraction.structure`, `extraction.patterns`, `settings`, `text`. Start at
`item_acts`, then `proposals` and `decisions`; `late_items` are those that only later messages
reveal.
"""
