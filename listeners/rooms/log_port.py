"""Where a session's log is: on Redis, or in this process.

Both doors publish with the same receipts and refusals. What is read through
them comes in order and without a gap, from the entry after the last one read;
`LogReplaced` says that what was read before does not stand any more.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

import anyio

from parley.bus import Draft, Receipt
from parley.bus.contract.errors import Fenced, SlowSubscriber
from parley.bus.entries import Record
from parley.bus.log.local_log import LocalLog
from parley.listeners.cache.memory_cache import CachedMemory
from parley.listeners.cache.memory_reader import LiveMemory, MemoryReader
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import Memory, Packs

PAGE = 500  # entries read at a time while catching up


class LogReplaced(Exception):
    """The log went back, was redacted or replaced: begin anew."""


class LogPort(Protocol):
    """One session's log as a `Room` needs it."""

    session: str
    incarnation: str  # of the log that the newest memory was read from; "": it is never replaced

    async def copy(self) -> CachedMemory:
        """A memory of the log as it stands, and where it stands; the caller's own."""
        ...

    async def recent(self, count: int) -> list[Record]:
        """The first record and the newest `count`, oldest first."""
        ...

    def follow(self, after: int) -> AsyncGenerator[list[Record]]:
        """Records after seq `after`, a few at a time, as they come."""
        ...

    async def publish(
        self, drafts: Sequence[Draft], epoch: int | None, incarnation: str = ""
    ) -> list[Receipt]: ...

    async def now_ms(self) -> int:
        """The clock of the log."""
        ...

    async def close(self, reason: str, rule: str | None, totals: dict[str, int]) -> None: ...

    def sharing(self, live: LiveMemory) -> AbstractContextManager[None]:
        """While it lasts, who asks this process for the memory of the session reads `live`."""
        ...

    def put_back(self, copy: CachedMemory) -> None:
        """Take back the newest copy, which the caller folds on no more."""
        ...


class RedisLog:
    """A session on Redis, whose memory the process' `reader` lends."""

    def __init__(self, reader: MemoryReader, session: str) -> None:
        self.session, self.incarnation = session, ""
        self._reader, self._bus = reader, reader.bus

    async def copy(self) -> CachedMemory:
        """The reader's, else of the newest snapshot and its tail. Raises `SessionNotFound`."""
        copy = await self._reader.take(self.session)
        self.incarnation = copy.incarnation
        return copy

    def sharing(self, live: LiveMemory) -> AbstractContextManager[None]:
        return self._reader.sharing(self.session, live)

    def put_back(self, copy: CachedMemory) -> None:
        self._reader.put_back(copy)

    async def recent(self, count: int) -> list[Record]:
        first = await self._bus.read(self.session, count=1)
        return [*first, *await self._bus.tail(self.session, count)]

    async def follow(self, after: int) -> AsyncGenerator[list[Record]]:
        try:
            async with self._bus.subscribe(self.session, after, facts=False) as subscription:
                async for record in subscription:
                    if isinstance(record, Record):
                        yield [record]
        except (Fenced, SlowSubscriber) as error:
            raise LogReplaced from error

    async def publish(
        self, drafts: Sequence[Draft], epoch: int | None, incarnation: str = ""
    ) -> list[Receipt]:
        return await self._bus.publish(self.session, drafts, epoch=epoch, incarnation=incarnation)

    async def now_ms(self) -> int:
        return await self._bus.now_ms()

    async def close(self, reason: str, rule: str | None, totals: dict[str, int]) -> None:
        await self._bus.close(self.session, reason, rule=rule, totals=totals)


class LocalLogPort:
    """A session in this process, for whoever needs no Redis: a rehearsal, a test."""

    def __init__(self, log: LocalLog, packs: Packs) -> None:
        self.session, self.incarnation = log.session, ""
        self._log, self._packs = log, packs
        self._moved = anyio.Event()

    async def copy(self) -> CachedMemory:
        memory = fold_records(Memory(self._packs), self._log.read(0, count=2**31))
        return CachedMemory(self.session, "", memory, seq=memory.seq)

    async def recent(self, count: int) -> list[Record]:
        return [*self._log.read(count=1), *self._log.tail(count)]

    async def follow(self, after: int) -> AsyncGenerator[list[Record]]:
        while True:
            moved = self._moved
            if records := self._log.read(after, count=PAGE):
                after = records[-1].seq
                yield records
            else:
                await moved.wait()

    async def publish(
        self, drafts: Sequence[Draft], epoch: int | None, incarnation: str = ""
    ) -> list[Receipt]:
        try:
            return self._log.publish(drafts, epoch=epoch)
        finally:
            self._wake_followers()

    async def now_ms(self) -> int:
        return self._log.now_ms()

    async def close(self, reason: str, rule: str | None, totals: dict[str, int]) -> None:
        self._log.close(reason, rule=rule, totals=totals)
        self._wake_followers()

    def sharing(self, live: LiveMemory) -> AbstractContextManager[None]:
        return nullcontext()  # no reader reads a log in this process

    def put_back(self, copy: CachedMemory) -> None:
        pass

    def _wake_followers(self) -> None:
        moved, self._moved = self._moved, anyio.Event()
        moved.set()
