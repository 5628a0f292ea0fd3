"""Parley without a server: what `from parley import Memory` gives, in plain calls.

Imports `rows` of the server, and the fold as `listeners.offline` runs it; no client of Redis.
Start at `local_memory`.
"""
