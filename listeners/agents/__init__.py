"""Agents at a table: they listen, bid, draft and commit; an arbiter grants."""
