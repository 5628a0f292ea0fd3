"""The log of a session: opened, published to, read, followed; and kept through a restart of Redis.

Imports `contract` and `connection`. Start at `log`, then `subscription`.
"""
