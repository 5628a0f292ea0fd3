"""REST routes, a module per resource, in three rooms: access, talk and records.

A route reads its body and rights, calls one function, and answers its row; nothing imports
routes but `http_app`. Start with `talk.vote_routes`: it has every part that a route may
have.
"""
