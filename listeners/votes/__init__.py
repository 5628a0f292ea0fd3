"""How votes end: the result as a function of the log, and who publishes it.

Imports `cache` and `rooms`. Start at `vote_results`.
"""
