"""MCP over two descriptors, a message a line: each request answered, none held without bound.

The SDK's own transport (mcp 2.3, `stdio_server`) cuts off what is under way when the input
ends, says nothing of a line that it cannot read, and takes any number of requests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Self

import anyio
import mcp_types as types
import orjson
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from pydantic import ValidationError

from parley.bus.connection.task_groups import open_task_group
from parley.server.http.bodies.value_count import check_value_count
from parley.server.http.problems.problem_details import Problem
from parley.server.mcp.message_envelope import is_message
from parley.server.mcp.stdio_pipes import Line, LineReader, LineWriter

IN_HAND: Final = 64  # requests that are neither answered nor given up; then none is read
GRACE_SECONDS: Final = 30.0  # of what is pending when the input ends; a tool waits for 25
_ANSWER: Final = (types.JSONRPCResponse, types.JSONRPCError)

Coming = MemoryObjectSendStream[SessionMessage | Exception]


async def serve_stdio(
    served: Server[Any], ends: tuple[int, int], longest: int, ending: Callable[[], None]
) -> None:
    """Answer what comes on the first of `ends` on the second, until the one or the other ends.

    When the input is over `ending` is called, and what is pending still answered. A message
    has at most `longest` bytes.
    """
    source, sink = ends
    with LineWriter(sink) as answers:
        pending = PendingRequests()
        coming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        options = served.create_initialization_options()
        lines, enough, over = LineReader(source, longest), anyio.Event(), anyio.Event()

        async def answer_all() -> None:
            await served.run(read, OutgoingMessages(answers, pending), options)
            enough.set()
            over.set()

        async def read_all() -> None:
            try:
                await _read(lines, coming, answers, pending)
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                return  # nobody takes what comes any more
            ending()
            await pending.wait_empty(GRACE_SECONDS)
            enough.set()

        with coming, read:
            async with open_task_group() as group:
                group.start_soon(answer_all)
                group.start_soon(read_all)
                group.start_soon(_set_after, enough, answers.gone)
                await enough.wait()
                coming.close()
                await over.wait()
                group.cancel_scope.cancel()


async def _set_after(event: anyio.Event, other: anyio.Event) -> None:
    """Sets `event` once `other` is."""
    await other.wait()
    event.set()


async def _read(
    lines: LineReader, coming: Coming, answers: LineWriter, pending: PendingRequests
) -> None:
    given_up = ServerMessageMetadata(on_request_unanswered=pending.abandon)
    async for line in lines:
        if line is not None and not line.strip():
            continue
        message = _parse_line(line)
        if isinstance(message, types.ErrorData):
            refusal = types.JSONRPCError(jsonrpc="2.0", id=None, error=message)
            await answers.write(_line(refusal)).out.wait()
            continue
        if isinstance(message, types.JSONRPCRequest):
            await pending.take()
        await coming.send(SessionMessage(message, given_up))


def _parse_line(line: Line) -> types.JSONRPCMessage | types.ErrorData:
    """What a line says, or what is wrong with it; that quotes nothing of it."""
    if line is None:
        return types.ErrorData(code=types.INVALID_REQUEST, message="The line is too long.")
    try:
        check_value_count(line)
        tree = orjson.loads(line)
    except Problem as problem:
        return types.ErrorData(code=types.INVALID_REQUEST, message=problem.detail)
    except orjson.JSONDecodeError:
        return types.ErrorData(code=types.PARSE_ERROR, message="The line is no JSON.")
    is_answer = isinstance(tree, dict) and "method" not in tree
    try:
        if is_answer or is_message(tree):
            return types.jsonrpc_message_adapter.validate_python(tree, by_name=False)
    except ValidationError:
        pass
    reason = "The line is not one message of JSON-RPC 2.0."
    return types.ErrorData(code=types.INVALID_REQUEST, message=reason)


class PendingRequests:
    """The requests that nobody could read an answer to yet."""

    def __init__(self) -> None:
        self._places = anyio.Semaphore(IN_HAND)

    async def take(self) -> None:
        """Have one more, once there is a place for it."""
        await self._places.acquire()

    def finish(self) -> None:
        """Note that the answer of a request is out."""
        self._places.release()

    async def abandon(self) -> None:
        """Note that a request was cancelled by whoever asked."""
        self._places.release()

    async def wait_empty(self, seconds: float) -> None:
        """Return once there is none, or `seconds` are over."""
        with anyio.move_on_after(seconds):
            for _ in range(IN_HAND):
                await self._places.acquire()


class OutgoingMessages:
    """What the server says, a line each."""

    def __init__(self, answers: LineWriter, pending: PendingRequests) -> None:
        self._answers, self._pending = answers, pending

    async def send(self, item: SessionMessage, /) -> None:
        """Return once it is out. Raises `BrokenResourceError` where nobody reads any more.

        Whoever is cancelled meanwhile leaves a line that is written all the same: only then
        its place is free.
        """
        finish = self._pending.finish if isinstance(item.message, _ANSWER) else None
        line = self._answers.write(_line(item.message), finish)
        await line.out.wait()
        if not line.was_readable:
            raise anyio.BrokenResourceError

    async def aclose(self) -> None:
        """Close nothing: the descriptor stays open as long as the answers."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.aclose()


def _line(message: types.JSONRPCMessage) -> bytes:
    return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
