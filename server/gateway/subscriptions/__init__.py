"""A session as it goes on, for one client: server-sent events and WebSocket."""
