"""Memory as of now, for whoever asks: newest snapshot, plus the tail folded here.

No worker is needed for this, only a log: what was acknowledged before the
question is in the answer. Copies are kept and folded on, so asking again
costs a round trip and what is new.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final, Protocol
from weakref import WeakValueDictionary

import anyio

from parley.bus import Bus
from parley.bus.contract.errors import BusError
from parley.bus.entries import Record
from parley.listeners.cache.memory_cache import (
    CachedMemory,
    MemoryCache,
    Progress,
    catch_up,
    say_nothing,
)
from parley.listeners.cache.ranges import LAST, cut_pages, read_pages, replay_pages
from parley.memory.context.context import Context, Profile, Request, assemble
from parley.memory.context.parts import Part
from parley.memory.context.recent_talk import is_beyond, most_messages
from parley.memory.fold.replay import list_set_aside
from parley.memory.state.memory import Memory, Packs

COPIES: Final = 256
CATCH_UP_SECONDS: Final = 1.0  # for which a room is waited for, before the log is read here
RECENT: Final = 1_000  # messages kept while folding to a past moment
FIRST: Final = 64  # messages asked for at first, where a budget may be full before `count` is
MORE: Final = 16  # entries asked for beyond the messages wanted: summaries stand among them


class LiveMemory(Protocol):
    """A memory that somebody folds on as its log grows: a room's."""

    @property
    def memory(self) -> Memory: ...

    @property
    def incarnation(self) -> str: ...

    async def wait_until_folded(self, seq: int) -> None: ...


class MemoryReader:
    """One per process. What it returns is its own copy: read it before the next await.

    Where a room of the session is in the process, the copy is the room's: a session is folded
    once, whoever asks.
    """

    def __init__(
        self, bus: Bus, packs: Packs, copies: int = COPIES, progress: Progress = say_nothing
    ) -> None:
        self.bus, self.packs, self.progress = bus, packs, progress
        self._shelf = MemoryCache(copies)
        self._live: dict[str, LiveMemory] = {}
        self._locks = WeakValueDictionary[str, anyio.Lock]()  # for as long as someone waits

    async def current(self, session: str) -> Memory:
        """The memory of everything acknowledged before the call.

        Raises `SessionNotFound`; `DomainError` where the session cannot be read here.
        """
        live = self._live.get(session)
        if live is not None and await self._has_caught_up(session, live):
            return live.memory
        async with self._lock(session):
            copy = await self._catch_up(session)
            return copy.memory

    def peek(self, session: str) -> Memory | None:
        """The memory as it was last read here, without a look at the log; None where it was not."""
        source = self._live.get(session) or self._shelf.get(session)
        return None if source is None else source.memory

    async def take(self, session: str) -> CachedMemory:
        """The copy that `current` would read, for the caller to fold on: it is not kept here."""
        async with self._lock(session):
            copy = await self._catch_up(session)
            self._shelf.drop(session)
            return copy

    def put_back(self, copy: CachedMemory) -> None:
        """Keep a copy that was taken, and that nobody folds on any more."""
        self._shelf.put(copy)

    @contextmanager
    def sharing(self, session: str, live: LiveMemory) -> Iterator[None]:
        """`current` reads `live` while the body runs, as far as it keeps up with the log."""
        self._live[session] = live
        try:
            yield
        finally:
            if self._live.get(session) is live:
                del self._live[session]

    async def _has_caught_up(self, session: str, live: LiveMemory) -> bool:
        """Whether it is of the log that there is, and as far as that; it is waited for a while."""
        info = await self.bus.info(session)
        if info.incarnation != live.incarnation:
            return False
        self.bus.nudge(session)
        try:
            with anyio.fail_after(CATCH_UP_SECONDS):
                await live.wait_until_folded(info.head)
        except (TimeoutError, BusError):  # it begins anew, or its outage is not over
            return False
        return True

    async def _catch_up(self, session: str) -> CachedMemory:
        return await catch_up(self.bus, self.packs, session, self._shelf, self.progress)

    def _lock(self, session: str) -> anyio.Lock:
        return self._locks.setdefault(session, anyio.Lock(fast_acquire=True))

    async def at(self, session: str, n: int) -> Memory:
        """The memory after primary entry `n`, as it was then: no later entry shapes it."""
        memory, _ = await self._folded(session, n=n)
        return memory

    async def folded(self, session: str, to: int) -> Memory:
        """The memory after entry `to` (a seq), folded from the first entry on."""
        memory, _ = await self._folded(session, to=to)
        return memory

    async def context(
        self,
        session: str,
        participant: str | None = None,
        *,
        profile: Profile = "full",
        budget: int | None = None,
        at: int | None = None,
        shared: Sequence[str] = (),
        parts: Sequence[Part] = (),
    ) -> Context:
        """What `participant` needs to know to speak now (or after entry `at`).

        `shared` names other sessions whose ratified decisions, as of now, are
        shown as well; nothing of that is logged. Of a full or brief context `parts` are
        shown, all if it is empty.

        Raises `ContextOverflow` where `budget` is below the floor of the profile.
        """
        others = [(other, await self.current(other)) for other in shared]
        request = Request(
            participant=participant, profile=profile, budget=budget, shared=others, parts=parts
        )
        if at is not None:
            memory, recent = await self._folded(session, n=at)
            return assemble(memory, replace(request, recent=recent))
        memory = await self.current(session)
        tokens = memory.settings.context.budget_tokens if budget is None else budget
        most = most_messages(memory, profile, tokens)
        recent = await self.recent(session, most, tokens=tokens)
        # Reading was an await: others may have folded on. Entries that came
        # since are in neither half, or in both.
        memory = await self.current(session)
        return assemble(memory, replace(request, recent=recent))

    async def recent(self, session: str, count: int, *, tokens: int | None = None) -> list[Record]:
        """The newest `count` messages, oldest first, without those set aside.

        With `tokens` no earlier ones are read once these are more than so many hold.
        """
        if count <= 0:
            return []
        asked = (count if tokens is None else min(count, FIRST)) + MORE
        while True:
            records = await self.bus.tail(session, asked)
            skips = (await self.bus.info(session)).skips
            messages = [record for record in records if is_standing_message(record, skips)]
            enough = tokens is not None and is_beyond(messages, tokens)
            if enough or len(messages) >= count or len(records) < asked:
                return messages[-count:]
            asked *= 4

    def forget(self, session: str) -> None:
        """Drop the copy of `session`: its next reader begins at the snapshot."""
        self._shelf.drop(session)

    async def _folded(
        self, session: str, n: int = LAST, to: int = LAST
    ) -> tuple[Memory, list[Record]]:
        """The memory of the entries up to `n` and `to`, and the newest messages among them.

        Skips what was set aside by then, and nothing that was later.
        """
        skips: set[int] = set()
        info = await self.bus.info(session)
        if info.skips:
            async for page in cut_pages(read_pages(self.bus, session), n, to):
                skips |= list_set_aside(page)
        memory = Memory(self.packs)
        recent: deque[Record] = deque(maxlen=RECENT)
        pages = cut_pages(read_pages(self.bus, session), n, to)
        async for record, _ in replay_pages(memory, pages, skips):
            self.progress(session, record.seq, info.head)
            if is_standing_message(record, skips):
                recent.append(record)
        return memory, list(recent)


def is_standing_message(record: Record, skips: Container[int]) -> bool:
    """Whether it is a message, or other words for it, that was not set aside."""
    return record.is_talk and record.seq not in skips
