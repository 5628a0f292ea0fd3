"""Sessions without Redis, workers or a clock: a log in this process, settled and read here.

Imports `effects` and below. Start at `local_effects`.
"""
