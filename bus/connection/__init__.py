"""The connections of a process to Redis, and the only place that sees its exceptions.

Imports `contract` and `scripts`. Start at `connections`; `hints` is how news travels.
"""
