"""The API's descriptions of itself: OpenAPI for the routes, AsyncAPI for the live streams.

May import bodies, identity's rights, problems and the WebSocket's messages. Start with `openapi`.
"""
