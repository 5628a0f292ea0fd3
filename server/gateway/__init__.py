"""The doors: HTTP, server-sent events and WebSocket over the bus, for whoever holds a token."""
