"""What is to happen next at the table: a grant, a vote, a nudge, the end; who may speak.

Reads memory, changes nothing. Imports `state`, `settings`, `items`, `floor`, `voting`, `text`.
Start at `arbiter`, then `steps`.
"""
