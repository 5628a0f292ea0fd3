"""MCP over two descriptors: what is answered, what is bounded, how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
import mcp_types as types
import pytest
from mcp.server.lowlevel import Server

from parley.server.http.bodies.value_count import VALUES
from parley.server.mcp.stdio_transport import IN_HAND, serve_stdio
from tests.support.servers.patience import wait_until

LONGEST: Final = 4096
SECONDS: Final = 60  # until a test is given up


@dataclass
class Talk:
    """A server whose one list of tools is told when a test says so, and both ends of its pipes."""

    lines: queue.SimpleQueue[bytes | None]
    hear: int
    go: anyio.Event = field(default_factory=anyio.Event)
    ended: anyio.Event = field(default_factory=anyio.Event)
    words: str = ""
    begun: int = 0
    most: int = 0
    here: int = 0
    over: asyncio.Task[None] | None = None

    def write(self, *lines: str | bytes) -> None:
        for line in lines:
            self.lines.put((line.encode() if isinstance(line, str) else line) + b"\n")

    def shut(self) -> None:
        self.lines.put(None)

    async def read(self) -> list[dict[str, Any]]:
        """What was said, all of it: the server has ended."""
        assert self.over is not None
        hearing = asyncio.to_thread(_all, self.hear)
        text, _ = await asyncio.wait_for(asyncio.gather(hearing, self.over), SECONDS)
        return [json.loads(line) for line in text.splitlines()]

    async def list_tools(self, *_: object) -> types.ListToolsResult:
        self.begun += 1
        self.here += 1
        self.most = max(self.most, self.here)
        try:
            await self.go.wait()
        finally:
            self.here -= 1
        tool = types.Tool(name="one", description=self.words, input_schema={"type": "object"})
        return types.ListToolsResult(tools=[tool])


def _fed(sink: int, lines: queue.SimpleQueue[bytes | None]) -> None:
    """In a thread: whoever is not read waits."""
    with open(sink, "wb", buffering=0) as file, suppress(BrokenPipeError):
        while (line := lines.get()) is not None:
            rest = memoryview(line)
            while rest:
                rest = rest[file.write(rest) :]


def _all(source: int) -> bytes:
    """To its end, which comes when every writing end is closed."""
    with open(source, "rb", closefd=False) as file:
        return file.read()


@asynccontextmanager
async def _talking(longest: int = LONGEST) -> AsyncIterator[Talk]:
    source, say = os.pipe()
    hear, sink = os.pipe()
    t = Talk(queue.SimpleQueue(), hear)
    threading.Thread(target=_fed, args=(say, t.lines), daemon=True).start()
    served: Server[Any] = Server("test", on_list_tools=t.list_tools)

    async def body() -> None:
        try:
            await serve_stdio(served, (source, sink), longest, t.ended.set)
        finally:
            os.close(sink)

    t.over = asyncio.create_task(body())
    try:
        yield t
    finally:
        t.over.cancel()
        t.shut()
        os.close(hear)
        await asyncio.wait([t.over], timeout=SECONDS)


def _asked(id: object, method: str, **params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params})


def _told(method: str, **params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params})


HELLO: Final = _asked(
    0, "initialize", protocolVersion="2025-11-25", capabilities={},
    clientInfo={"name": "test", "version": "1"},
)  # fmt: skip
READY: Final = _told("notifications/initialized")


async def test_what_was_asked_before_the_end_of_input_is_answered() -> None:
    """Though it is still in hand then: what waits for others is told, and ends by itself."""
    async with _talking() as t:
        t.write(HELLO, READY, _asked(1, "tools/list"))
        await wait_until(lambda: t.begun == 1)
        t.shut()
        await asyncio.wait_for(t.ended.wait(), SECONDS)
        t.go.set()
        answers = await t.read()
    assert [answer["id"] for answer in answers] == [0, 1]
    assert answers[1]["result"]["tools"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"not json", types.PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping"', types.PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":7,"method":"\xff"}', types.PARSE_ERROR),
        (b"[" * 2000, types.PARSE_ERROR),
        (b"[]", types.INVALID_REQUEST),
        (b"7", types.INVALID_REQUEST),
        (b"{}", types.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', types.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', types.INVALID_REQUEST),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', types.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', types.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":7,"result":7}', types.INVALID_REQUEST),
        (b" " * (LONGEST + 1), types.INVALID_REQUEST),
        (b"x" * 200_000, types.INVALID_REQUEST),
    ],
)
async def test_a_line_that_says_nothing_is_told_so(line: bytes, code: int) -> None:
    """With no id, as JSON-RPC has it, and none of its words; the next one is read again."""
    async with _talking() as t:
        t.write(line, HELLO)
        t.shut()
        refused, hello = await t.read()
    assert (refused["id"], refused["error"]["code"]) == (None, code)
    assert "ping" not in refused["error"]["message"]
    assert hello["id"] == 0


async def test_a_line_of_many_values_is_refused_before_it_is_read() -> None:
    """However short each is: the reader of JSON would hold up everything else."""
    line = _asked(1, "tools/list", cursor=[[]] * VALUES)
    async with _talking(longest=1 << 20) as t:
        t.write(line, HELLO)
        t.shut()
        refused, hello = await t.read()
    assert (refused["id"], refused["error"]["code"]) == (None, types.INVALID_REQUEST)
    assert "more values" in refused["error"]["message"]
    assert hello["id"] == 0


async def test_empty_lines_and_answers_to_nothing_are_no_fault() -> None:
    """A client may end its lines twice, or answer what nobody asked."""
    async with _talking() as t:
        stray = json.dumps({"jsonrpc": "2.0", "id": 9, "result": {}})
        fault = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "No."}}
        t.write("", "\r", HELLO + "\r", READY, stray, json.dumps(fault))
        t.shut()
        assert [answer["id"] for answer in await t.read()] == [0]


async def test_the_last_line_needs_no_end() -> None:
    """It is over with the input."""
    async with _talking() as t:
        t.lines.put(HELLO.encode())
        t.shut()
        assert [answer["id"] for answer in await t.read()] == [0]


async def test_whoever_reads_no_answer_is_not_read_either() -> None:
    """Answers wait, as many as are in hand, no further request is taken; all come in the end."""
    async with _talking() as t:
        t.words = "w" * 131_072  # more than the pipe holds
        t.go.set()
        t.write(HELLO, READY, *(_asked(n, "tools/list") for n in range(1, 2 * IN_HAND + 1)))
        t.shut()
        await wait_until(lambda: t.begun == IN_HAND)
        for _ in range(100):
            await anyio.sleep(0)
        assert t.begun == IN_HAND
        assert sorted(answer["id"] for answer in await t.read()) == list(range(2 * IN_HAND + 1))


async def test_so_many_requests_are_in_hand_at_once() -> None:
    """The next is begun when one is answered."""
    async with _talking() as t:
        t.write(HELLO, READY, *(_asked(n, "tools/list") for n in range(1, 2 * IN_HAND + 1)))
        await wait_until(lambda: t.begun == IN_HAND)
        t.go.set()
        t.shut()
        assert len(await t.read()) == 2 * IN_HAND + 1
    assert t.most == IN_HAND


async def test_what_was_cancelled_holds_no_place() -> None:
    """Nobody is answered, and the end of input waits for nothing."""
    async with _talking() as t:
        t.write(HELLO, READY)
        for n in range(1, IN_HAND + 2):
            t.write(_asked(n, "tools/list"), _told("notifications/cancelled", requestId=n))
        t.shut()
        assert [answer["id"] for answer in await t.read()] == [0]
    assert t.here == 0


async def test_a_client_that_is_gone_is_the_end_too() -> None:
    """Though the input stays open: nobody is there to be answered, which is no fault."""
    source, say = os.pipe()
    hear, sink = os.pipe()
    os.close(hear)
    try:
        os.write(say, HELLO.encode() + b"\n")
        served: Server[Any] = Server("test")
        await asyncio.wait_for(serve_stdio(served, (source, sink), LONGEST, lambda: None), SECONDS)
    finally:
        os.close(say)
        os.close(sink)
