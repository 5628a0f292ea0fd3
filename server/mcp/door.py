"""The MCP server over the doors, on HTTP."""

from __future__ import annotations

from server.gateway.doors import Doors, Part


def part(doors: Doors) -> Part:
    """`/mcp`, behind the same identity, and the session manager that it needs."""
    return Part(())
