"""The object that a program holds of a session, and what it can do there.

Imports `rooms`, `tools`, `effects` and below, never `workers` or `agents`. Start at `session`.
"""
