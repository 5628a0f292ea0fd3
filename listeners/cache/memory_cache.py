"""A process's own copy of a session's memory, and when it may not be trusted.

Folding is deterministic, so a copy is right for as long as the log only grows.
Two things break that: the log went back (a restart that lost its newest
entries), or an entry that the copy holds was set aside since. A copy
remembers what tells: the identity of its last entry, the session's
incarnation, and how many skips it honoured.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import anyio
import anyio.to_thread

from parley.bus import Bus, LogStretch
from parley.bus.contract.errors import SessionDamaged, SessionNotFound
from parley.bus.entries import Record
from parley.listeners.cache.fold_build import fold_build
from parley.listeners.cache.loop_turns import compile_packs, compile_packs_of, give_way
from parley.listeners.cache.projection import EntryFacts, fold_with_facts
from parley.listeners.cache.ranges import PAGE, TURN
from parley.memory.errors import DomainError
from parley.memory.fold.canonical_bytes import load, packs_of
from parley.memory.state.memory import Memory, Packs

TURN_SIZE: Final = 256  # characters said in a turn, beyond which it ends: some 1 ms of reading
LONG: Final = 64 << 10  # bytes of a memory, beyond which it is read beside the loop: some 5 ms
_BROUGHT: Final = b'"pack":{"'  # what a memory has that reads with a pack of its session

Progress = Callable[[str, int, int], None]
"""Called with a session, how many of its entries were read by now, and how many there are."""


@dataclass(slots=True)
class CachedMemory:
    """`memory` as of entry `seq`, whose identity is `identity` ("" before the first)."""

    session: str
    incarnation: str
    memory: Memory
    seq: int = 0
    n: int = 0
    identity: str = ""
    honoured: int = 0  # entries up to `seq` that were set aside, and skipped here
    saved_seq: int = 0  # of the newest snapshot this copy came from or wrote
    saved_at: float = field(default_factory=time.monotonic)
    saved_bytes: int = 0  # that it had
    scheduled: frozenset[str] = frozenset()  # effects the bus was told of

    def advance(self, record: Record) -> None:
        """`record`, the next of the log, is folded into `memory` now."""
        self.seq, self.n, self.identity = record.seq, record.n, record.identity

    def is_prefix_of(self, stretch: LogStretch) -> bool:
        """True while the log that `stretch` was read from still begins with what is folded here.

        `stretch` begins with the entry that stands at `seq`.
        """
        first = stretch.records[0] if stretch.records else None
        return (
            self.incarnation in ("", stretch.incarnation)
            and first is not None
            and first.identity == self.identity
            and sum(seq <= self.seq for seq in stretch.skips) == self.honoured
        )


@dataclass(slots=True)
class CachedTail:
    """A copy that may be folded on, and what follows it in the log."""

    copy: CachedMemory
    records: list[Record]
    head: int
    folded: int
    skips: tuple[int, ...]


async def read_tails(
    bus: Bus, packs: Packs, wanted: Sequence[tuple[str, CachedMemory | None]], count: int
) -> list[CachedTail | None]:
    """For each (session, copy held) the best copy there is and up to `count` entries after it.

    The one held when it is still true, else the newest snapshot when that is,
    else an empty one. A copy's last entry is read again with its tail and
    compared, so that nothing is folded onto what the log no longer says. None
    where there is no such session. One round trip while all copies are true.
    """
    missing = [session for session, kept_copy in wanted if kept_copy is None]
    stored = await _load_snapshots(bus, packs, missing)
    copies = [kept_copy or stored.get(session) for session, kept_copy in wanted]
    reads = [
        (session, copy.seq - 1 if copy is not None else 0)
        for (session, _), copy in zip(wanted, copies, strict=True)
    ]
    tails_read: list[CachedTail | None] = []
    for (session, kept_copy), copy, stretch in zip(
        wanted, copies, await bus.read_many(reads, count=count + 1), strict=True
    ):
        if stretch is None:
            tails_read.append(None)
        elif copy is None:
            tails_read.append(_from_nothing(packs, stretch))
        elif copy.is_prefix_of(stretch):
            tails_read.append(_after(copy, stretch))
        else:
            tails_read.append(await _anew(bus, packs, session, kept_copy is not None, count))
    return tails_read


async def _load_snapshots(
    bus: Bus, packs: Packs, sessions: Sequence[str]
) -> dict[str, CachedMemory | None]:
    """The newest snapshot of each, read at the same time. Raises the first error of any."""
    copies: dict[str, CachedMemory | None] = {}
    errors: list[Exception] = []

    async def read_into_copies(session: str) -> None:
        try:
            copies[session] = await load_snapshot(bus, packs, session)
        except Exception as error:
            errors.append(error)

    async with anyio.create_task_group() as tasks:
        for session in sessions:
            tasks.start_soon(read_into_copies, session)
    if errors:
        raise errors[0]
    return copies


async def _anew(bus: Bus, packs: Packs, session: str, ask: bool, count: int) -> CachedTail | None:
    """The tail of a session whose copy turned out false: from its snapshot, else from nothing."""
    copy = await load_snapshot(bus, packs, session) if ask else None
    if copy is not None:
        (stretch,) = await bus.read_many([(session, copy.seq - 1)], count=count + 1)
        if stretch is not None and copy.is_prefix_of(stretch):
            return _after(copy, stretch)
    (stretch,) = await bus.read_many([(session, 0)], count=count)
    return None if stretch is None else _from_nothing(packs, stretch)


def _after(copy: CachedMemory, stretch: LogStretch) -> CachedTail:
    copy.incarnation = stretch.incarnation
    return _tail(copy, stretch, stretch.records[1:])


def _from_nothing(packs: Packs, stretch: LogStretch) -> CachedTail:
    copy = CachedMemory(stretch.session, stretch.incarnation, Memory(packs))
    return _tail(copy, stretch, stretch.records)


def _tail(copy: CachedMemory, stretch: LogStretch, records: list[Record]) -> CachedTail:
    return CachedTail(copy, records, stretch.head, stretch.folded, stretch.skips)


async def load_snapshot(bus: Bus, packs: Packs, session: str) -> CachedMemory | None:
    """The newest snapshot as a copy; whether the log still begins with it is not known yet."""
    snapshot = await bus.snapshot(session, fold_build())
    if snapshot is None:
        return None
    try:
        memory = await load_memory(snapshot.data, packs, snapshot.upto)
    except DomainError:  # other bytes, or a pack that is missing: the log will say which
        return None
    return CachedMemory(
        session,
        snapshot.incarnation,
        memory,
        seq=snapshot.upto,
        n=snapshot.n,
        identity=snapshot.identity,
        honoured=snapshot.skips,
        saved_seq=snapshot.upto,
        saved_bytes=len(snapshot.data),
    )


async def load_memory(data: bytes, packs: Packs, seq: int) -> Memory:
    """`load`, beside the loop where it takes long; what is to be compiled for it first."""
    if _BROUGHT in data:
        await compile_packs(packs, packs_of(data))
    if len(data) < LONG:
        return load(data, packs, seq)
    return await anyio.to_thread.run_sync(load, data, packs, seq)


def fold_cached(
    copy: CachedMemory, records: Sequence[Record], skips: Sequence[int]
) -> list[EntryFacts]:
    """Fold `records`, which follow `copy`, into it; what they changed, in order.

    Whatever it raises leaves half a copy behind: drop it. Raises `SessionDamaged` where
    entries between them are gone.
    """
    if not records:
        return []
    if records[-1].seq - copy.seq != len(records):
        gone = f"entries after {copy.seq} are missing from its log"
        raise SessionDamaged(copy.session, gone)
    entry_facts = fold_with_facts(copy.memory, records, skips)
    copy.honoured = sum(seq <= records[-1].seq for seq in skips)
    copy.advance(records[-1])
    return entry_facts


async def fold_cooperatively(
    copy: CachedMemory, records: Sequence[Record], skips: Sequence[int]
) -> None:
    """`fold_cached`, with a turn for others now and then. Cancelled, it leaves a whole copy."""
    first = size = 0
    await compile_packs_of(records, copy.memory.packs)
    for last, record in enumerate(records, 1):
        size += len(getattr(record.entry, "content", None) or "")
        if last - first == TURN or size > TURN_SIZE or last == len(records):
            fold_cached(copy, records[first:last], skips)
            first, size = last, 0
            await give_way()


class MemoryCache:
    """The copies a process keeps, the least recently used dropped beyond `room`."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._copies: OrderedDict[str, CachedMemory] = OrderedDict()

    def get(self, session: str) -> CachedMemory | None:
        """The copy itself, not one of it; None where none is kept."""
        copy = self._copies.get(session)
        if copy is not None:
            self._copies.move_to_end(session)
        return copy

    def put(self, copy: CachedMemory) -> None:
        """Keep it, in place of an earlier one of the session."""
        self._copies[copy.session] = copy
        self._copies.move_to_end(copy.session)
        while len(self._copies) > self._room:
            self._copies.popitem(last=False)

    def drop(self, session: str) -> None:
        self._copies.pop(session, None)


def say_nothing(session: str, done: int, total: int) -> None:
    """The progress of who need not be told."""


async def catch_up(
    bus: Bus, packs: Packs, session: str, shelf: MemoryCache, progress: Progress = say_nothing
) -> CachedMemory:
    """The copy of `session` on `shelf`, made where there is none, folded to the log's end.

    Cancelled between two turns, what is folded stays on the shelf; what raises leaves no
    copy there. Raises `SessionNotFound`, and `DomainError` where the log is unreadable here.
    """
    while True:
        (tail,) = await read_tails(bus, packs, [(session, shelf.get(session))], PAGE)
        shelf.drop(session)
        if tail is None:
            raise SessionNotFound(session)
        try:
            await fold_cooperatively(tail.copy, tail.records, tail.skips)
        except anyio.get_cancelled_exc_class():
            shelf.put(tail.copy)
            raise
        shelf.put(tail.copy)
        progress(session, tail.copy.seq, tail.head)
        if tail.copy.seq >= tail.head:
            return tail.copy
