"""Who a request is from, and what it may do: bearer tokens, cookies and tickets read from it,
rights checked, rates charged.

May import state, tokens and problems. Start with `authorization`: the dependency by which
each route names its right.
"""
