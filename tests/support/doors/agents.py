"""Agents for tests: the official client of MCP, over HTTP and over standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

import httpx2
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from tests.support.doors.doors import Standing
from tests.support.servers.patience import PATIENCE

Mode = Literal["auto", "legacy"]


@dataclass(frozen=True, slots=True)
class Agent:
    """A client, and the session that it speaks in."""

    client: Client
    session: str

    async def call(self, tool: str, **arguments: Any) -> CallToolResult:
        result = await self.client.call_tool(tool, arguments)
        assert isinstance(result, CallToolResult)
        return result

    async def do(self, tool: str, **arguments: Any) -> Any:
        """What the tool gives in the session; the test fails where it is refused."""
        result = await self.call(tool, session=self.session, **arguments)
        assert not result.is_error, text_of(result)
        return result.structured_content

    async def refused(self, tool: str, **arguments: Any) -> str:
        """Why the tool is refused in the session."""
        result = await self.call(tool, session=self.session, **arguments)
        assert result.is_error, result.structured_content
        return text_of(result)


def text_of(result: CallToolResult) -> str:
    """Its words."""
    return "\n".join(getattr(block, "text", "") for block in result.content)


@asynccontextmanager
async def over_http(
    d: Standing,
    token: str,
    session: str = "harbour",
    mode: Mode = "auto",
    *,
    query: str = "",
    sent: Callable[[httpx2.Request], Awaitable[None]] | None = None,
) -> AsyncIterator[Agent]:
    """`sent` hears of each request that the client makes."""
    headers = {"Authorization": f"Bearer {token}"}
    url = f"{d.url}/mcp{query}"
    hooks = {} if sent is None else {"request": [sent]}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE, event_hooks=hooks) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield Agent(client, session)


@asynccontextmanager
async def over_stdio(
    redis_url: str, name: str, session: str = "harbour", mode: Mode = "auto", **env: str
) -> AsyncIterator[Agent]:
    arguments = ["-m", "parley", "--redis", redis_url, "mcp"]
    if name:
        arguments += ["--as", name]
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ}
    started = StdioServerParameters(
        command=sys.executable, args=arguments, env={**kept, **env}, cwd=os.getcwd()
    )
    async with Client(stdio_client(started), mode=mode) as client:
        yield Agent(client, session)
