"""The MCP server for agents: tools, resources and prompts over HTTP (`/mcp`) or stdin and
stdout.

May import http but its routes and application. Start with `mcp_server`; `stdio_transport`
is the other way in.
"""
