"""`parley mcp`: the door for agents on standard input and output."""

from __future__ import annotations

from server.settings import Settings


def mcp(settings: Settings, name: str | None, session: str | None) -> int:
    """Serve until the end of input; the exit code. Without `token`, `name` says who calls."""
    raise NotImplementedError
