"""The connections of a process to Redis, and the only place that sees its errors.

Imports `contract` and `scripts`. Start at `connections`; `single_node` and `cluster_nodes` are
what they lead to, `server_connection` is the socket and what goes over it, `hints` is how news
travels.
"""
