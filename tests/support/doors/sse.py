"""An event stream as a client reads it, over a raw connection: nothing is buffered or retried."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.support.servers.patience import PATIENCE


@dataclass(frozen=True, slots=True)
class Event:
    """One event; `id` None where it has none. A comment has the event ""."""

    event: str
    data: dict[str, Any]
    id: str | None = None


def seq_of(event: Event) -> int:
    """The sequence number in the id of `event`; 0 where it has none."""
    return int((event.id or "0").partition("-")[0])


@dataclass(slots=True)
class Stream:
    """An open response: `headers` in lower case, `body` of a refusal."""

    status: int
    headers: dict[str, str]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    body: bytes = b""
    seen: list[Event] = field(default_factory=list)

    async def next(self, *, beats: bool = False) -> Event:
        """The next event. Raises `EOFError` at the end."""
        while True:
            event = await asyncio.wait_for(self._event(), PATIENCE)
            if event.event or beats:
                self.seen.append(event)
                return event

    async def take(self, count: int) -> list[Event]:
        return [await self.next() for _ in range(count)]

    async def until_end(self) -> list[Event]:
        """What is left of it."""
        events: list[Event] = []
        try:
            while True:
                events.append(await self.next())
        except EOFError:
            return events

    async def _event(self) -> Event:
        lines: dict[str, str] = {}
        while line := await self._line():
            name, _, value = line.partition(":")
            lines[name] = value.removeprefix(" ")
        if "retry" in lines:
            return await self._event()
        data = json.loads(lines["data"]) if "data" in lines else {}
        return Event(lines.get("event", ""), data, lines.get("id"))

    async def _line(self) -> str:
        """One line of the body, whose chunks each end with a line's end."""
        raw = await self.reader.readuntil(b"\n") if self._left else await self._chunk()
        self._left -= len(raw)
        if not self._left:
            await self.reader.readexactly(2)
        return raw.decode().rstrip("\n")

    async def _chunk(self) -> bytes:
        self._left = int(await self.reader.readuntil(b"\r\n"), 16)
        if not self._left:
            raise EOFError
        return await self.reader.readuntil(b"\n")

    _left: int = 0


@asynccontextmanager
async def streamed(url: str, path: str, token: str | None, **headers: str) -> AsyncIterator[Stream]:
    """GET `path`; `headers` with `_` for `-`."""
    at = urlsplit(url)
    reader, writer = await asyncio.open_connection(at.hostname, at.port, limit=1 << 25)
    lines = [f"GET {path} HTTP/1.1", f"Host: {at.netloc}"]
    if token is not None:
        lines.append(f"Authorization: Bearer {token}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
    try:
        head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)).decode()
        first, *rest = head.strip().split("\r\n")
        response_headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in rest)}
        stream = Stream(int(first.split()[1]), response_headers, reader, writer)
        if stream.status != 200:
            stream.body = await reader.readexactly(int(response_headers["content-length"]))
        yield stream
    finally:
        writer.close()
