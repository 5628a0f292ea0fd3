"""One session as a process takes part in it: its memory, live, and a way to speak.

Everybody whom a process hosts in a session (agents, an arbiter, a person at a
terminal) shares one room: one subscription, one fold. What they decide they
decide by the memory as it stands, never by a message they might have missed; so
a room that begins anew, in another process or after an outage, goes on from
where the log is.

`publish` returns once the room's own memory holds what was published: whoever
asks it next sees what the fold made of it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Final, TypeVar

import anyio

from parley.bus import Draft, Receipt
from parley.bus.connection.event_log import EventLog
from parley.bus.connection.tasks import Child, TaskHost
from parley.bus.contract.errors import Busy, Unavailable
from parley.bus.entries import Record
from parley.bus.entries.record import mark_of
from parley.listeners.cache.memory_cache import CachedMemory
from parley.listeners.rooms.log_clock import LogClock
from parley.listeners.rooms.log_port import LogPort, LogReplaced
from parley.memory.arbitration.steps import ElapsedTimes
from parley.memory.context.recent_talk import PAGE
from parley.memory.fold.apply import apply
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory

KEPT: Final = 64  # newest messages that rules of speaking look at
RETRY_SECONDS: Final = 0.3
_LOOKED_BACK: Final = PAGE  # entries read at the start: when the floor last moved, what was said

Done = TypeVar("Done")
Hearer = Callable[[Record, Sequence[Fact]], None]

log = EventLog("parley.room")


class Room:
    """Make it with `enter_room`. `memory` is the room's own: read it between two awaits."""

    def __init__(self, door: LogPort, copy: CachedMemory) -> None:
        self.session = door.session
        self.recent: deque[Record] = deque(maxlen=KEPT)  # messages, oldest first
        self.talk: deque[Record] = deque(maxlen=PAGE)  # as many as a context may show
        self.patience_seconds = 0.0  # for which an outage is waited out before publishing raises
        self._door, self._copy = door, copy
        self._marks = LogClock()
        self._news = anyio.Event()
        self._begun = 0  # times that it began anew
        self._hearers: list[Hearer] = []
        self._anew: list[Callable[[], None]] = []
        self._failure: Exception | None = None

    @property
    def memory(self) -> Memory:
        return self._copy.memory

    @property
    def seq(self) -> int:
        """The seq of the newest entry folded."""
        return self._copy.seq

    @property
    def mark(self) -> str:
        """The mark (`Record.mark`) of the newest entry folded; "" before the first."""
        return mark_of(self._copy.identity)

    @property
    def incarnation(self) -> str:
        """Which log `memory` was read from: what is published under it lands there alone."""
        return self._door.incarnation

    async def publish(
        self, drafts: Sequence[Draft], *, epoch: int | None = None, incarnation: str = ""
    ) -> list[Receipt]:
        """Publish as `Bus.publish` does, refusals included, and wait until it is folded here.

        A room that failed publishes nothing: by the memory that it has, nothing can be decided.
        """
        if self._failure is not None:
            raise self._failure
        receipts = await self._offered(drafts, epoch, incarnation)
        await self.wait_until_folded(max(receipt.seq for receipt in receipts))
        return receipts

    async def _offered(
        self, drafts: Sequence[Draft], epoch: int | None, incarnation: str
    ) -> list[Receipt]:
        """Publish, and again while Redis is away or busy: under the same ids it lands once."""
        deadline = anyio.current_time() + self.patience_seconds
        while True:
            try:
                return await self._door.publish(drafts, epoch, incarnation)
            except (Unavailable, Busy) as error:
                if anyio.current_time() >= deadline:
                    raise
                log.warning("publish_waits", session=self.session, reason=str(error))
                await anyio.sleep(RETRY_SECONDS)

    async def close(self, reason: str, rule: str | None, totals: dict[str, int]) -> None:
        """End the session. Raises `SessionClosed` where others closed it with other words."""
        await self._door.close(reason, rule, totals)
        while self.memory.closed is None:
            await self.wait_past(self.seq)

    async def wait_until_folded(self, seq: int) -> None:
        """Return once entry `seq` is folded here."""
        while self.seq < seq:
            await self.wait_past(self.seq)

    async def wait_past(self, after: int, seconds: float | None = None) -> bool:
        """Wait until the room is past `after`, which it was at; False when `seconds` were over.

        A log that went back, or is read anew, is news too: the room is then at another
        seq, or at the same one for other reasons.
        """
        begun = self._begun
        with anyio.move_on_after(seconds):
            while self.seq == after and self._begun == begun:
                if self._failure is not None:
                    raise self._failure
                await self._news.wait()
            return True
        return False

    async def run_while(
        self, holds: Callable[[], bool], work: Callable[[], Awaitable[Done]]
    ) -> Done | None:
        """What `work` comes to; None, and `work` is cancelled, once `holds` is no longer true.

        `holds` is asked whenever the session moves.
        """
        result: Done | None = None
        errors: list[Exception] = []  # a group would wrap them

        async def watch() -> None:
            try:
                await self._until_not(holds)
            except Exception as error:
                errors.append(error)
            tasks.cancel_scope.cancel()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch)
            try:
                result = await work()
                errors.clear()
            except Exception as error:
                errors[:] = [error]
            tasks.cancel_scope.cancel()
        if errors:
            raise errors[0]
        return result

    async def _until_not(self, holds: Callable[[], bool]) -> None:
        while True:
            seq = self.seq
            if not holds():
                return
            await self.wait_past(seq)

    def waited(self) -> ElapsedTimes:
        """How long ago things happened, by the clock of the log."""
        return self._marks.waited(self.memory)

    def add_listener(self, hearer: Hearer, anew: Callable[[], None] | None = None) -> None:
        """Have `hearer` called with every entry folded from now on, and its facts.

        `anew` is called where the log was replaced: what was heard before may not stand,
        and what is heard next follows the memory as it is then.
        """
        self._hearers.append(hearer)
        if anew is not None:
            self._anew.append(anew)

    async def _follow(self) -> None:
        """Fold what comes; an outage, also of a log that has to be read anew, is waited out."""
        replaced = False
        while True:
            try:
                if replaced:
                    await self._begin_anew()
                    replaced = False
                async with aclosing(self._door.follow(self.seq)) as stretches:
                    async for records in stretches:
                        self._fold(records)
            except LogReplaced:
                log.warning("room_begins_anew", session=self.session, after=self.seq)
                replaced = True
            except Unavailable as error:
                log.warning("room_waits", session=self.session, reason=str(error))
                await anyio.sleep(RETRY_SECONDS)

    async def _begin_anew(self) -> None:
        self._copy = await self._door.copy()
        await self._look_back()
        self._begun += 1
        for anew in self._anew:
            anew()
        self._tell()

    async def _look_back(self) -> None:
        self.recent.clear()
        self.talk.clear()
        for record in await self._door.recent(_LOOKED_BACK):
            if record.seq <= self.seq:  # what came meanwhile is told by following
                self._note(record)

    def _fold(self, records: Sequence[Record]) -> None:
        for record in records:
            if record.entry.kind == "entry.set_aside":
                raise LogReplaced  # what it names may be folded here already
            facts = apply(self.memory, record)
            self._copy.advance(record)
            self._note(record, live=True)
            for hearer in self._hearers:
                hearer(record, facts)
        self._tell()

    def _note(self, record: Record, *, live: bool = False) -> None:
        self._marks.note(record, live=live)
        if record.is_talk:
            self.recent.append(record)
            self.talk.append(record)

    def _tell(self) -> None:
        news, self._news = self._news, anyio.Event()
        news.set()

    def _fail(self, _: Child, error: Exception) -> None:
        self._failure = error
        self._tell()


@asynccontextmanager
async def enter_room(door: LogPort) -> AsyncIterator[Room]:
    """A room of that session. Raises `SessionNotFound`, and `DomainError` where it is unreadable.

    Where following it fails for good, whoever waits in the room is told.
    """
    room = Room(door, await door.copy())
    room._marks.set_clock(await door.now_ms())
    await room._look_back()
    host = TaskHost(f"parley-room-{door.session}", room._fail)
    host.start(host.name, room._follow)
    try:
        with door.sharing(room):
            yield room
    finally:
        await host.aclose()
        if room._failure is None:
            door.put_back(room._copy)
