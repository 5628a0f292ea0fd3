"""Parley as a library: what `from parley import Memory, Session` gives.

`local_memory` is a memory in plain calls and loads no client of Redis; `opened_session` is a
session on Redis, embedded where no address is given. Imports `queries`, `rows`, `runtime` and
`settings` of the server. Start at `local_memory`.
"""
