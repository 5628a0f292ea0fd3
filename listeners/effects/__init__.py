"""What memory is owed, answered: summaries, reflections, comparisons, readings.

Imports `extraction`, `summaries`, `spending`, `models`, `cache`. Start at `answers`, then
`summariser`.
"""
