"""Where servers are put together from settings: HTTP, MCP on standard input, tokens and links,
API documents.

May import everything but cli. Start with `http_server`, then `serve` (its lifetime and its
worker).
"""
