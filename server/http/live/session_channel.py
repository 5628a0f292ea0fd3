"""The live stream of one room: the newest frames, and those who listen.

Whoever comes with an old cursor is brought up to the ring of newest frames by
folding from a checkpoint, a stretch at a time, and joins there without a gap. The
ring itself is filled once after a start, so that many who come back at once share
one fold.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Final, cast

import anyio

from parley.bus.connection.event_log import EventLog
from parley.bus.contract.errors import BusError, SessionNotFound, Unavailable
from parley.bus.entries import Record
from parley.listeners.history.moments import History
from parley.listeners.rooms.room import Room
from parley.memory.errors import DomainError
from parley.memory.state.item_state import Fact
from parley.server.http.live.client_queue import ClientQueue, Ending
from parley.server.http.live.cursors import StreamCursor
from parley.server.http.live.frames import Frame, Group, entry_frame, reset_frame

_RING: Final = 2_000  # newest frames kept
_RING_BYTES: Final = 16 << 20
_STRETCH: Final = 500  # entries folded at a time for one who is behind
_STRETCH_BYTES: Final = 2 << 20
FOLDS: Final = 2  # stretches folded at once
RETRY_SECONDS: Final = 0.3

FoldedRecords = AsyncGenerator[tuple[Record, list[Fact]]]

log = EventLog("parley.channel")


class Subscription:
    """What one client hears, through an outlet of its own.

    `cursor` is what it began behind, and `after` the seq of that.
    """

    __slots__ = ("_behind", "_channel", "after", "cursor", "outlet")

    def __init__(self, channel: SessionChannel, outlet: ClientQueue, cursor: StreamCursor) -> None:
        self._channel = channel
        self._behind: int | None = cursor.seq  # while it is being brought up; None: it is live
        self.cursor, self.after, self.outlet = cursor, cursor.seq, outlet

    async def frames(self) -> list[Frame]:
        """What comes next, at least one; empty at the end."""
        if self._behind is not None and (frames := await self._channel._read_missed(self)):
            return frames
        return await self.outlet.frames()


class SessionChannel:
    """A hearer of `room`; everybody who listens shares its frames.

    Every entry after seq `_floor` that the room folded is in the ring.
    """

    def __init__(
        self,
        room: Room,
        moments: History,
        folds: anyio.Semaphore | None = None,
        *,
        ring: int = _RING,
        stretch: int = _STRETCH,
    ) -> None:
        self._room, self._moments = room, moments
        self._most, self._stretch_of = ring, stretch
        self._folds = folds or anyio.Semaphore(FOLDS)
        self._ring: deque[Frame] = deque()
        self._bytes = 0
        self._floor = room.seq
        self._filled = False  # as far back as it goes
        self._filling = anyio.Lock()
        self._begun = 0
        self._live: set[ClientQueue] = set()
        self._behind: set[Subscription] = set()
        self._ended: Ending | None = None
        room.add_listener(self._append, self._reset_all)

    @asynccontextmanager
    async def listen(
        self, after: StreamCursor | None, show: frozenset[Group] | None = None
    ) -> AsyncIterator[Subscription]:
        """Every entry behind `after` once, in order; None: from now on."""
        newest = StreamCursor(self._room.seq, self._room.mark)
        cursor = newest if after is None or after.seq == newest.seq else after
        listener = Subscription(self, ClientQueue(show), cursor)
        self._behind.add(listener)
        if listener.after >= self._floor:
            self._join(listener)
        if self._ended is not None:
            listener.outlet.end(self._ended)
        try:
            yield listener
        finally:
            self._behind.discard(listener)
            self._live.discard(listener.outlet)

    def reset(self, listener: Subscription) -> None:
        """Have it begin anew at the newest entry."""
        listener._behind = None
        self._behind.discard(listener)
        self._live.add(listener.outlet)
        listener.outlet.replace_with(self._reset())

    def end(self, why: Ending) -> None:
        """End the stream for everybody, and for whoever listens from now on."""
        self._ended = why
        for outlet in (*self._live, *(subscription.outlet for subscription in self._behind)):
            outlet.end(why)

    # -- what the room says ----------------------------------------------------------

    def _append(self, record: Record, facts: Sequence[Fact]) -> None:
        made = entry_frame(record, facts)
        self._ring.append(made)
        self._bytes += len(made.data)
        self._trim()
        for outlet in self._live:
            outlet.put(made)

    def _reset_all(self) -> None:
        self._begun += 1
        self._ring.clear()
        self._bytes, self._floor, self._filled = 0, self._room.seq, False
        made = self._reset()
        for listener in self._behind:
            listener._behind = None
            self._live.add(listener.outlet)
        self._behind.clear()
        for outlet in self._live:
            outlet.replace_with(made)

    def _reset(self) -> Frame:
        room = self._room
        return reset_frame(StreamCursor(room.seq, room.mark), room.memory.n)

    def _trim(self) -> None:
        while len(self._ring) > self._most or self._bytes > _RING_BYTES:
            gone = self._ring.popleft()
            self._bytes -= len(gone.data)
            self._floor = gone.seq

    # -- whoever is behind -----------------------------------------------------------

    def _join(self, listener: Subscription) -> None:
        missed: list[Frame] = []
        after = self._room.seq if listener._behind is None else listener._behind
        for made in reversed(self._ring):
            if made.seq <= after:
                break
            missed.append(made)
        listener._behind = None
        listener.outlet.prefill(reversed(missed))
        self._behind.discard(listener)
        self._live.add(listener.outlet)

    async def _read_missed(self, listener: Subscription) -> list[Frame]:
        """Frames that it missed; none once it is live, or over."""
        while (after := listener._behind) is not None and listener.outlet.ended is None:
            if after >= self._floor:
                self._join(listener)
                break
            try:
                if not self._filled and self._room.seq - after <= self._most:
                    await self._fill()
                    continue
                frames = await self._read_stretch(after, self._floor)
            except Unavailable:
                await anyio.sleep(RETRY_SECONDS)  # the room says so in the log
                continue
            except (BusError, DomainError) as error:
                if not isinstance(error, SessionNotFound):
                    log.warning("cannot_bring_up", session=self._room.session, reason=str(error))
                frames = []
            if listener._behind is None:  # the room began anew meanwhile
                break
            if not frames:  # the log does not hold what it is asked for
                self.reset(listener)
                break
            listener._behind = frames[-1].seq
            if shown := [made for made in frames if listener.outlet.accepts(made)]:
                return shown
        return []

    async def _fill(self) -> None:
        """Put before the ring what fits of the entries before it."""
        async with self._filling:
            if self._filled:
                return
            begun, to = self._begun, self._floor
            older: deque[Frame] = deque()
            at = max(0, self._room.seq - self._most)
            while at < to and (frames := await self._read_stretch(at, to)):
                older += frames
                at = frames[-1].seq
            if begun == self._begun and to == self._floor and at >= to:
                self._ring.extendleft(reversed(older))
                self._bytes += sum(len(made.data) for made in older)
                self._floor = older[0].seq - 1 if older else to
                self._trim()
            self._filled = begun == self._begun

    async def _read_stretch(self, after: int, to: int) -> list[Frame]:
        """The next entries after `after`, up to `to`, with the facts they gave."""
        async with self._folds:
            frames: list[Frame] = []
            size = 0
            upto = min(to, after + self._stretch_of)
            records = cast("FoldedRecords", self._moments.since(self._room.session, after, upto))
            async with aclosing(records):
                async for record, facts in records:
                    frames.append(entry_frame(record, facts))
                    size += len(frames[-1].data)
                    if size > _STRETCH_BYTES:
                        break
            return frames
