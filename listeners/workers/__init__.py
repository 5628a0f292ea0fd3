"""The processes that keep memory fresh: the fold, the effects, the votes, and who minds them.

Imports `effects`, `votes` and below. Start at `worker`.
"""
