"""A log page by page, its replay, and the entries of a range of `n` from one read by `seq`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Container
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from parley.bus import Bus
from parley.bus.entries import PRIMARY, Record
from parley.listeners.cache.loop_turns import compile_packs_of, give_way
from parley.memory.fold.replay import replay
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory

PAGE: Final = 500  # entries per read: a tail of the usual length in one
TURN: Final = 8  # entries folded in one go: some 2 ms, of which others may wait for several
LAST: Final = 2**62  # beyond any entry


class RangeGone(Exception):
    """The log ends before the range does: it went back since the range was closed."""


@dataclass(frozen=True, slots=True)
class EntryRange:
    """The primary entries of a range, oldest first, and the identity of the last."""

    records: list[Record]
    identity: str


async def read_pages(
    bus: Bus, session: str, after: int = 0, to: int | None = None
) -> AsyncGenerator[list[Record]]:
    """Every record with `after` < seq ≤ `to`, in order, as many at a time as a round trip brings.

    Raises `SessionNotFound`.
    """
    while page := await bus.read(session, after=after, to=to, count=PAGE):
        yield page
        after = page[-1].seq


async def cut_pages(
    pages: AsyncGenerator[list[Record]], n: int = LAST, to: int = LAST
) -> AsyncGenerator[list[Record]]:
    """`pages` of a log up to its `n`-th primary entry, what follows that, and seq `to`."""
    async with aclosing(pages):
        async for page in pages:
            yield [record for record in page if record.n <= n and record.seq <= to]
            if page[-1].n > n or page[-1].seq >= to:
                return


async def replay_pages(
    memory: Memory,
    pages: AsyncGenerator[list[Record]],
    skips: Container[int] = (),
    turn: int = TURN,
) -> AsyncGenerator[tuple[Record, list[Fact]]]:
    """`replay` of the pages of a log, with a turn for others at every `turn`-th entry."""
    async with aclosing(pages):
        async for page in pages:
            await compile_packs_of(page, memory.packs)
            for record, facts in replay(memory, page, skips):
                yield record, facts
                if record.seq % turn == 0:
                    await give_way()


async def read_range(
    bus: Bus, session: str, first: int, last: int, skips: frozenset[int]
) -> EntryRange:
    """Primary entries `first`..`last` (closed, in n), without those that were set aside.

    Raises `RangeGone`.
    """
    seq = (await find_primary_entry(bus, session, first)).seq
    primary_entries: list[Record] = []
    while True:
        page = await bus.read(session, after=seq - 1, count=min(PAGE, 2 * (last - first) + 16))
        for record in page:
            if record.entry.kind not in PRIMARY:
                continue
            if record.seq not in skips:
                primary_entries.append(record)
            if record.n == last:
                return EntryRange(primary_entries, record.identity)
        if not page:
            raise RangeGone(f"{session!r} ends before n {last}")
        seq = page[-1].seq + 1


async def find_primary_entry(bus: Bus, session: str, n: int) -> Record:
    """Primary entry `n`. Raises `RangeGone`.

    Every entry raises n by one at most, so stepping on by what is still
    missing never passes it; each step leaves only the share of entries that
    are not primary, about a tenth.
    """
    seq = n
    while True:
        page = await bus.read(session, after=seq - 1, count=1)
        if not page:
            raise RangeGone(f"{session!r} ends before n {n}")
        missing = n - page[0].n
        if missing <= 0:
            return page[0]
        seq = page[0].seq + missing
