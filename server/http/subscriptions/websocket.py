"""A session over a WebSocket: hear and publish on one connection."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeVarTuple, Unpack

import anyio
import orjson
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from pydantic_core import from_json
from starlette.websockets import WebSocket, WebSocketDisconnect

from parley.bus.connection.event_log import EventLog
from parley.bus.connection.task_groups import open_task_group
from parley.bus.contract.drafts import new_id
from parley.listeners.rooms.room import Room
from parley.server.http.bodies.value_count import check_value_count
from parley.server.http.identity.authorization import Caller
from parley.server.http.identity.credentials import charge_rate
from parley.server.http.live.client_queue import Ending
from parley.server.http.live.cursors import parse_cursor
from parley.server.http.live.session_channel import SessionChannel
from parley.server.http.problems.problem_details import Problem, problem_from_exception
from parley.server.http.requests.message_batches import draft_batch
from parley.server.http.requests.message_requests import publish_and_nudge
from parley.server.http.state.dependencies import Dependencies
from parley.server.http.state.rate_limits import Kind, TokenBucket
from parley.server.http.subscriptions.subscription_start import (
    LAST_WORDS,
    SubscriptionRequest,
    SubscriptionStart,
    closing_frame,
    find_start,
    hello_frame,
    parse_groups,
    place_of,
)
from parley.server.http.subscriptions.websocket_messages import (
    Ping,
    Publish,
    Subscribe,
    parse_client_message,
    read_ref,
)
from parley.server.http.transport.websocket_connection import RATE_CODE, RATE_REASON
from parley.server.rows.entry_rows import receipt_rows

PROTOCOL: Final = "parley.v1"
_PUBLISHES_PENDING: Final = 16  # publishes taken and not answered; then the socket is not read
_UNREADABLE: Final = 3  # frames that cannot be read before it ends
_REFUSALS: Final = 100  # frames refused before it ends; one is forgiven a second
REFUSED: Final = frozenset(
    {"rate", "forbidden", "invalid", "too-large"}
)  # for what the client alone did
LAST_WORD_SECONDS: Final = 30.0

_CODES: Final[dict[str, int]] = {
    "shutdown": 1001, "binary": 1003, "unreadable": 1008, "left": 1000,
    "expired": 4401, "gone": 4404, "slow": 4408, RATE_REASON: RATE_CODE,
}  # fmt: skip

Ts = TypeVarTuple("Ts")

log = EventLog("parley.ws")


class _Writer:
    """The task that sends the frames of one subscription."""

    def __init__(self) -> None:
        self.scope, self.over = anyio.CancelScope(), anyio.Event()


class WebSocketSession:
    """One connection: a reader, a publisher once it publishes, a writer while it hears."""

    def __init__(
        self, websocket: WebSocket, deps: Dependencies, caller: Caller, session: str
    ) -> None:
        self._ws, self._deps = websocket, deps
        self._caller, self._session = caller, session
        self._end_reason: str | None = None
        self._ended = anyio.Event()
        self._failure: Exception | None = None  # what a task of it died of
        self._publishes: MemoryObjectSendStream[Publish] | None = None  # once it publishes
        self._channel: SessionChannel
        self._group: TaskGroup
        self._writer: _Writer | None = None
        self._sent = 0  # seq of the last entry told
        self._unreadable = 0
        self._refusals = TokenBucket(1, _REFUSALS, _REFUSALS, anyio.current_time())

    async def run(self) -> None:
        """Serve it until it ends; what refuses it before it opens is raised."""
        with self._deps.streams.reserve(self._caller):
            async with self._deps.channels.room(self._session) as room:
                self._channel = self._deps.channels.channel(self._session)
                begun = await find_start(self._deps, room, SubscriptionRequest())
                offered = self._ws.scope["subprotocols"]
                await self._ws.accept(PROTOCOL if PROTOCOL in offered else None)
                why = await self._serve(room, begun)
        await self._close(why)

    def end(self, why: Ending | str) -> None:
        """Close it; the first reason counts."""
        if self._end_reason is None:
            self._end_reason = why
            self._ended.set()

    def beat(self) -> None:
        """Send nothing: the protocol has pings of its own."""

    async def _serve(self, room: Room, begun: SubscriptionStart) -> str:
        with self._deps.streams.register(self, self._caller):
            await self._send(hello_frame(room, self._caller, begun).ws)
            async with open_task_group() as group:
                self._group = group
                group.start_soon(self._run, self._read, room)
                await self._ended.wait()
                group.cancel_scope.cancel()
        if self._failure is not None:
            raise self._failure
        return self._end_reason or "left"

    async def _run(self, function: Callable[[Unpack[Ts]], Awaitable[None]], *args: *Ts) -> None:
        """A task of the connection, which ends with it where it dies of an error."""
        try:
            await function(*args)
        except Exception as error:
            if self._end_reason is None:
                self._failure = error
                self.end("failed")

    # -- hearing the client ----------------------------------------------------------

    async def _read(self, room: Room) -> None:
        try:
            await self._read_messages(room)
        finally:
            if self._publishes is not None:
                self._publishes.close()

    async def _read_messages(self, room: Room) -> None:
        while True:
            message = await self._ws.receive()
            if message["type"] == "websocket.disconnect":
                return self.end("left")
            if (text := message.get("text")) is None:
                return self.end("binary")
            await self._wait_for("frame", 1)
            await self._wait_for("bytes", len(text))
            try:
                check_value_count(text.encode())
                tree = from_json(text)  # whole numbers as they were sent
            except ValueError:
                await self._nack(None, Problem("malformed"))
                self._unreadable += 1
                if self._unreadable == _UNREADABLE:
                    return self.end("unreadable")
                continue
            except Problem as problem:
                await self._nack(None, problem)
                continue
            try:
                await self._dispatch(room, tree)
            except Exception as error:
                await self._nack(read_ref(tree), error)

    async def _wait_for(self, kind: Kind, cost: int) -> None:
        """Charge what came: faster than its rate the client is not read. Others have their turn."""
        caller, wait = self._caller, 1.0
        while wait > 0:
            wait = self._deps.rate_limits.take(caller.jti, kind, cost, operator=caller.operator)
            await anyio.sleep(wait)

    async def _dispatch(self, room: Room, tree: Any) -> None:
        try:
            message = parse_client_message(tree)
        except Problem:
            charge_rate(self._deps, self._caller, "read")
            raise
        match message:
            case Publish():
                if self._publishes is None:
                    self._publishes, taken = anyio.create_memory_object_stream[Publish](
                        _PUBLISHES_PENDING - 1
                    )
                    self._group.start_soon(self._run, self._publish_all, taken)
                await self._publishes.send(message)
            case Subscribe():
                charge_rate(self._deps, self._caller, "read")
                await self._subscribe(room, message)
            case Ping():
                charge_rate(self._deps, self._caller, "read")
                await self._say(type="pong")
            case _:
                charge_rate(self._deps, self._caller, "read")
                await self._unsubscribe()
                await self._say(type="unsubscribed")

    # -- publishing ------------------------------------------------------------------

    async def _publish_all(self, publishes: MemoryObjectReceiveStream[Publish]) -> None:
        with publishes:
            async for request in publishes:
                try:
                    receipts = await self._publish(request)
                except Exception as error:
                    await self._nack(request.ref, error)
                else:
                    await self._say(type="ack", ref=request.ref, receipts=receipts)

    async def _publish(self, request: Publish) -> list[dict[str, Any]]:
        """As `POST …/entries` does it."""
        deps, caller, session = self._deps, self._caller, self._session
        if not caller.may_do("speak", session):
            raise Problem("forbidden", needs="speak")
        charge_rate(deps, caller, "publish", len(request.entries))
        drafts = await draft_batch(deps, session, caller, request.entries, request.as_, new_id())
        return receipt_rows(drafts, await publish_and_nudge(deps, session, drafts))

    async def _nack(self, ref: str | None, error: Exception) -> None:
        problem = problem_from_exception(error)
        if problem.slug == "internal":
            log.error("publish_failed", session=self._session, exc_info=error)
        await self._say(type="nack", ref=ref, problem=problem.body(self._request))
        if problem.slug in REFUSED and self._refusals.take(1, anyio.current_time()):
            self.end(RATE_REASON)

    @property
    def _request(self) -> str:
        request_id: str = self._ws.scope.get("state", {}).get("request_id", "")
        return request_id

    # -- telling the client ----------------------------------------------------------

    async def _subscribe(self, room: Room, request: Subscribe) -> None:
        wish = SubscriptionRequest(
            parse_cursor(request.after), parse_groups(request.show), request.facts,
            request.incarnation,
        )  # fmt: skip
        begun = await find_start(self._deps, room, wish)
        await self._unsubscribe()
        self._writer = _Writer()
        self._group.start_soon(self._run, self._write, begun, wish, self._writer)

    async def _unsubscribe(self) -> None:
        if self._writer is not None:
            self._writer.scope.cancel()
            await self._writer.over.wait()
            self._writer = None

    async def _write(
        self, begun: SubscriptionStart, wish: SubscriptionRequest, writer: _Writer
    ) -> None:
        try:
            with writer.scope:
                await self._send_frames(begun, wish)
        finally:
            writer.over.set()

    async def _send_frames(self, begun: SubscriptionStart, wish: SubscriptionRequest) -> None:
        channel = self._channel
        async with channel.listen(begun.after, wish.show) as listener:
            if begun.anew:
                channel.reset(listener)
            self._sent = listener.after
            await self._say(type="subscribed", **place_of(listener))
            while frames := await listener.frames():
                shown = [(frame.ws if wish.facts else frame.bare.ws, frame.seq) for frame in frames]
                if not await self._send_all(shown):
                    return
            if (why := listener.outlet.ended) is not None:
                self.end(why)

    async def _say(self, **members: Any) -> None:
        await self._send(orjson.dumps(members).decode())

    async def _send(self, text: str) -> bool:
        return await self._send_all([(text, 0)])

    async def _send_all(self, texts: Sequence[tuple[str, int]]) -> bool:
        """Send texts, and note the seq of each that has one, each in time.

        Whether all were sent; the connection is over where they were not.
        """
        slow_seconds = self._deps.settings.serve.slow_seconds
        try:
            with anyio.fail_after(slow_seconds) as scope:
                for text, seq in texts:
                    if self._ended.is_set():
                        return False
                    scope.deadline = anyio.current_time() + slow_seconds
                    await self._ws.send({"type": "websocket.send", "text": text})
                    self._sent = seq or self._sent
        except TimeoutError:
            self.end("slow")
            return False
        except (WebSocketDisconnect, RuntimeError):
            self.end("left")
            return False
        return True

    async def _close(self, why: str) -> None:
        """Say why, and close. A client that reads neither is cut off by the operating system."""
        if why == "left":
            return
        with (
            contextlib.suppress(WebSocketDisconnect, RuntimeError),
            anyio.move_on_after(LAST_WORD_SECONDS),
        ):
            if why in LAST_WORDS:
                word = closing_frame(why, self._sent)
                await self._ws.send({"type": "websocket.send", "text": word.ws})
            await self._ws.close(_CODES[why], why)
