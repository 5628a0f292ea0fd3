"""Clients of the doors that cost little: many streams in one process, and one who posts."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Protocol, Self

import orjson

CHUNKED_END = b"\r\n"


class Address(Protocol):
    @property
    def host(self) -> str: ...
    @property
    def port(self) -> int: ...
    def token(self, name: str = "ana") -> str: ...


class Tally:
    """What all streams heard: how many hellos, entries, and when each entry came."""

    def __init__(self) -> None:
        self.hellos = 0
        self.entries = 0
        self.times: list[float] = []
        self.moved = asyncio.Event()

    def hear(self, data: bytes) -> None:
        self.hellos += data.count(b"event: hello\n")
        came = data.count(b"event: entry\n")
        if came:
            self.entries += came
            self.times += [time.perf_counter()] * came
        self.moved.set()

    async def until(self, entries: int, seconds: float) -> None:
        """Return once that many came, or when `seconds` are over."""
        deadline = time.perf_counter() + seconds
        while self.entries < entries and time.perf_counter() < deadline:
            self.moved.clear()
            try:
                async with asyncio.timeout(1):
                    await self.moved.wait()
            except TimeoutError:
                continue


async def hello_within(tally: Tally, count: int, seconds: float = 60) -> None:
    async with asyncio.timeout(seconds):
        while tally.hellos < count:
            tally.moved.clear()
            await tally.moved.wait()


class opened(asyncio.Protocol):  # noqa: N801 - used as a block
    """An event stream that only counts: an event's name is never cut by a chunk."""

    def __init__(self, at: Address, session: str, token: str, tally: Tally) -> None:
        self._at, self._tally = at, tally
        self._asked = (
            f"GET /v1/sessions/{session}/events HTTP/1.1\r\nHost: {at.host}:{at.port}\r\n"
            f"Authorization: Bearer {token}\r\n\r\n"
        ).encode()
        self._transport: asyncio.Transport | None = None
        self._rest = b""

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_connection(lambda: self, self._at.host, self._at.port)
        self._transport = transport
        transport.write(self._asked)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        whole, _, self._rest = (self._rest + data).rpartition(b"\n")
        if not whole:
            return
        self._tally.hear(whole + b"\n")


class Poster:
    """Posts messages to a session over one connection, each after the receipt of the last."""

    def __init__(self, at: Address, session: str) -> None:
        self._at, self._session, self._token = at, session, at.token()

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection(self._at.host, self._at.port)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._writer.close()

    async def post(self, content: str) -> None:
        body = orjson.dumps({"content": content})
        head = (
            f"POST /v1/sessions/{self._session}/messages HTTP/1.1\r\n"
            f"Host: {self._at.host}:{self._at.port}\r\nAuthorization: Bearer {self._token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        await self._answered(head.encode() + body, b"HTTP/1.1 201")

    async def get(self, path: str) -> bytes:
        """What `path` of the session answers."""
        head = (
            f"GET /v1/sessions/{self._session}{path} HTTP/1.1\r\n"
            f"Host: {self._at.host}:{self._at.port}\r\nAuthorization: Bearer {self._token}\r\n"
            "Accept-Encoding: gzip\r\n\r\n"
        )
        return await self._answered(head.encode(), b"HTTP/1.1 200")

    async def _answered(self, asked: bytes, wanted: bytes) -> bytes:
        self._writer.write(asked)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        if not answer.startswith(wanted):
            raise RuntimeError(answer.decode())
        size = int(answer.lower().split(b"content-length: ")[1].split(b"\r")[0])
        return await self._reader.readexactly(size)
