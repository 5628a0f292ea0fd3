"""The floor as the log has it: who sits, asks, speaks, and what their calls cost.

Imports `state` and `text`. Start at `seats`, then `grants`. What is to happen next is for
`arbitration` to say.
"""
