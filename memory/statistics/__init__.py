"""How much memory holds: counts, how full each limit is, and which limits its use calls for.

Reads memory, changes nothing. Imports `fold` for its bytes, and the rooms below. Start at
`statistics`.
"""
