"""Agents at a table: they listen, bid, draft and commit; an arbiter grants.

Imports `rooms`, `votes`, `spending`, `models`. Start at `agent`, then `arbiter`.
"""
