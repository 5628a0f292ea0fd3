"""Sessions as they were: any moment, what changed since, and the whole course for a plot.

Imports `cache`. Start at `moments`.
"""
