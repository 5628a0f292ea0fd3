"""A session as an event stream: the id of an event is its entry's seq and mark."""

from __future__ import annotations

import contextlib
from typing import Final

import anyio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from parley.bus.connection.task_groups import open_task_group
from parley.server.http.identity.authorization import Caller
from parley.server.http.live.client_queue import ClientQueue, Ending
from parley.server.http.live.frames import Frame
from parley.server.http.live.session_channel import Subscription
from parley.server.http.problems.problem_details import Problem
from parley.server.http.state.dependencies import Dependencies
from parley.server.http.subscriptions.subscription_start import (
    SubscriptionRequest,
    closing_frame,
    find_start,
    hello_frame,
)

_RETRY: Final = b"retry: 1000\n\n"
LAST_WORD_SECONDS: Final = 30.0  # for a client that does not read to be told so
HEADERS: Final = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
)


class EventStream(Response):
    """Refusals are raised before it starts; afterwards it says itself why it ends."""

    media_type = "text/event-stream"

    def __init__(
        self, deps: Dependencies, caller: Caller, session: str, wish: SubscriptionRequest
    ) -> None:
        super().__init__()
        self._deps, self._caller = deps, caller
        self._session, self._wish = session, wish

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        deps, caller = self._deps, self._caller
        with deps.streams.reserve(caller):
            last, why = await self._told(receive, send)
        if why != "left":
            with anyio.move_on_after(LAST_WORD_SECONDS):
                await _write(send, last.sse, more=False)

    async def _told(self, receive: Receive, send: Send) -> tuple[Frame, Ending]:
        """Tell until the end; what is still to say then, and why."""
        deps, caller, wish = self._deps, self._caller, self._wish
        async with deps.channels.room(self._session) as room:
            channel = deps.channels.channel(self._session)
            begun = await find_start(deps, room, wish)
            async with channel.listen(begun.after, wish.show) as listener:
                if begun.anew:
                    channel.reset(listener)
                first = _RETRY + hello_frame(room, caller, begun, listener).sse
                await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
                beats = deps.beats.follow(room, listener.outlet, caller)
                with (
                    deps.streams.register(listener.outlet, caller),
                    beats if wish.beats else contextlib.nullcontext(),
                ):
                    async with open_task_group() as group:
                        group.start_soon(_until_gone, receive, listener.outlet)
                        sent = await self._write_all(send, first, listener)
                        group.cancel_scope.cancel()
                why = listener.outlet.ended or "gone"
                return closing_frame(why, sent), why

    async def _write_all(self, send: Send, first: bytes, listener: Subscription) -> int:
        """Write what comes until the outlet ends; the seq of the last entry that was written."""
        slow, sent = self._deps.settings.serve.slow_seconds, listener.after
        facts, data, upto = self._wish.facts, first, sent
        while data:
            try:
                with anyio.fail_after(slow):
                    await _write(send, data)
            except TimeoutError:
                listener.outlet.end("slow")
                return sent
            sent = upto
            frames = await listener.frames()
            data = b"".join([frame.sse if facts else frame.bare.sse for frame in frames])
            upto = max((frame.seq for frame in frames), default=sent) or sent
        return sent


async def _write(send: Send, data: bytes, *, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": data, "more_body": more})


async def _until_gone(receive: Receive, outlet: ClientQueue) -> None:
    while True:
        with contextlib.suppress(Problem):  # of a body too long, which nobody reads
            if (await receive())["type"] == "http.disconnect":
                return outlet.end("left")
