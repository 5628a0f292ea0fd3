"""One client that follows a session: as server-sent events (`sse`) or over a WebSocket, on
which it may publish too.

May import requests, live, identity and bodies. Start with `subscription_start`: from which
entry a stream begins.
"""
