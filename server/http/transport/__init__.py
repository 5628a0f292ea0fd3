"""ASGI middleware and connections of uvicorn: body limits and timeouts, request ids, security
headers, WebSocket back-pressure.

May import identity, state and problems. Start with `asgi_middleware`.
"""
