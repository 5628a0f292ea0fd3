"""The HTTP server: REST routes, event streams and WebSockets over sessions and their memory.

May import any room of the server but cli, bootstrap and mcp. Start with `http_app`, which puts
middleware, routes and problem details together; then `state.dependencies`.
"""
