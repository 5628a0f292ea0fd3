"""Lists that operators look at: the sessions, and what of them, of Redis and of the workers runs.

Each is a table for a terminal, or one JSON object a row. May import basics and what the room
above shows. Start with `session_table`.
"""
