"""A session's memory in this process: kept, caught up with the log, and read at any moment.

Imports `bus` and `memory`, no other room. Start at `memory_reader`; `memory_cache` says
when a copy may be trusted.
"""
