"""The tools that an agent calls: arguments, what each does, its result as rows and as text.

May import http's requests, live and identity, services and rows; nothing of mcp's
transports. Start with `tool_registry`.
"""
