"""`wait_for_messages`: what came since, or the next thing that comes.

It listens where the live streams listen: woken by the fold, it asks nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import anyio
import orjson

from parley.bus.contract.errors import SessionNotFound
from parley.listeners.rooms.room import Room
from parley.memory.state.memory import Memory
from parley.server.http.live.cursors import StreamCursor, parse_cursor
from parley.server.http.live.frames import Frame
from parley.server.http.live.session_channel import Subscription
from parley.server.http.subscriptions.subscription_start import SubscriptionRequest, find_start
from parley.server.mcp.tools.pending_waits import SUPERSEDED, PendingWait
from parley.server.mcp.tools.result_rows import fact_row, floor_as_seen, message_row
from parley.server.mcp.tools.tool_call import ToolCall
from parley.server.mcp.tools.tool_results import FactRow, MessageRow, Waited

MOST: Final = 100  # messages, and facts, of one answer
_MOST_CHARS: Final = 200_000  # of its messages in all

# What somebody who waits for their turn to say something is woken by. The rest of what
# is told below comes with it, and wakes nobody.
_WAKES: Final = (
    "proposal.", "item.", "decision.", "position.", "reaction.", "vote.", "ballot.invalid",
    "floor.nudged", "floor.paused", "floor.resumed", "floor.muted", "episode.", "insight.",
    "settings.", "session.closed", "entry.",
)  # fmt: skip
_TOLD: Final = (*_WAKES, "seat.", "ballot.", "participant.")
_OWN_TURN: Final = ("floor.granted", "floor.released", "floor.refused")
_BY_ITSELF: Final = ("spoke", "silent")  # how a turn ends that was not taken away


async def wait_for_messages(call: ToolCall) -> Waited:
    """Return at once with what is there after `after`; else once something comes."""
    args, deps, name = call.args, call.deps, call.caller.name
    if not call.caller.operator:
        deps.seats.find(name, call.session)  # whoever waits is there
    async with deps.channels.room(call.session) as room:
        begun = await find_start(deps, room, SubscriptionRequest(after=parse_cursor(args.after)))
        channel = deps.channels.channel(call.session)
        with call.door.waits.replace((name, call.session)) as wait:
            async with channel.listen(begun.after) as listener:
                if begun.anew:
                    channel.reset(listener)
                heard = WaitCollector(room, name, listener.cursor, own=args.include_own)
                with deps.streams.register(wait, call.caller):
                    await _catch_up(heard, listener, room.seq)
                    await _wait_until_addressed(heard, listener, wait, args.timeout)
                return heard.result(superseded=wait.ended == SUPERSEDED)


async def _catch_up(heard: WaitCollector, listener: Subscription, head: int) -> None:
    """Hear what is there already, as much as one answer holds."""
    while heard.cursor.seq < head and not heard.full:
        if not await heard.take(listener):
            return


async def _wait_until_addressed(
    heard: WaitCollector, listener: Subscription, wait: PendingWait, seconds: float
) -> None:
    with anyio.move_on_after(seconds) as scope, wait.bound_by(scope):
        while not heard.woken:
            if not await heard.take(listener):
                return


class WaitCollector:
    """What `name` was told since `cursor`."""

    def __init__(self, room: Room, name: str, cursor: StreamCursor, *, own: bool) -> None:
        self.cursor = cursor
        self.messages: list[MessageRow] = []
        self.facts: list[FactRow] = []
        self.reset = False
        self.full = False
        self._room, self._name, self._own = room, name, own
        self._woken = False
        self._chars = 0

    @property
    def woken(self) -> bool:
        """Whether there is something to answer with."""
        return self._woken or self.full or self._memory.closed is not None

    @property
    def _memory(self) -> Memory:
        return self._room.memory

    async def take(self, listener: Subscription) -> bool:
        """Hear the next frames; False once nothing more comes."""
        frames = await listener.frames()
        if not frames:
            if listener.outlet.ended == "gone":
                raise SessionNotFound(self._room.session)
            return False
        for frame in frames:
            if self.full:
                break
            self._hear(frame)
        return True

    def result(self, *, superseded: bool) -> Waited:
        """What a client is told; it goes on from `cursor`, where there is `more`."""
        memory, after = self._memory, self.cursor.seq
        return Waited(
            messages=self.messages, facts=self.facts, after=after, cursor=str(self.cursor),
            closed=memory.closed, floor=floor_as_seen(memory, self._name),
            more=self.full and after < self._room.seq, reset=self.reset, superseded=superseded,
        )  # fmt: skip

    def _hear(self, frame: Frame) -> None:
        data = orjson.loads(frame.data)
        if frame.event == "reset":
            self.messages, self.facts = [], []
            self.cursor, self.reset, self._woken = frame.cursor, True, True
        elif frame.event == "entry":
            self.cursor = frame.cursor
            own = self._is_own(data["entry"])
            if not own or self._own:
                self._message(data)
                self._facts(data["facts"])

    def _is_own(self, entry: Mapping[str, Any]) -> bool:
        """Whether `name` wrote it. Entries of the floor name whom they are about."""
        if entry["kind"].startswith("floor."):
            return False
        return self._is_me(entry.get("participant"))

    def _is_me(self, name: str | None) -> bool:
        named = self._memory.named
        return bool(name) and bool(self._name) and named(name or "") == named(self._name)

    def _message(self, data: Mapping[str, Any]) -> None:
        if data["entry"]["kind"] != "message" or data.get("unreadable"):
            return
        row = message_row(data, self._memory, self._name)
        self.messages.append(row)
        self._woken = True
        self._chars += len(row.content)
        self.full = len(self.messages) >= MOST or self._chars >= _MOST_CHARS

    def _facts(self, facts: Iterable[Mapping[str, Any]]) -> None:
        for fact in facts:
            mine = self._is_turn(fact)
            if mine or fact["kind"].startswith(_TOLD):
                self.facts.append(fact_row(fact))
                self._woken = self._woken or mine or fact["kind"].startswith(_WAKES)
                self.full = self.full or len(self.facts) >= MOST

    def _is_turn(self, fact: Mapping[str, Any]) -> bool:
        """Whether the floor was given to us, or taken from us."""
        data = fact.get("data", {})
        if fact["kind"] not in _OWN_TURN or data.get("reason") in _BY_ITSELF:
            return False
        return self._is_me(data.get("participant") or data.get("by"))
