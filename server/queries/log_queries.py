"""What is asked of the log of a session on a bus: its entries, its end, its replay."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Any

from parley.bus import Bus
from parley.bus.entries import PRIMARY, Record
from parley.listeners.cache.ranges import read_pages, replay_pages
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.server.basics.errors import Failure
from parley.server.runtime.packs import Packs


async def stream_entries(bus: Bus, session: str, to: int | None = None) -> AsyncIterator[Record]:
    """Every entry of the log, in order, up to seq `to`."""
    async for page in read_pages(bus, session, to=to):
        for record in page:
            yield record


async def read_primary_entries(bus: Bus, session: str, to: int) -> list[Record]:
    """The primary entries of the log, in order, up to seq `to`."""
    log = stream_entries(bus, session, to)
    return [record async for record in log if record.entry.kind in PRIMARY]


async def read_entries(bus: Bus, session: str, wanted: Iterable[int]) -> dict[int, Record]:
    """The primary entries of these numbers, by number."""
    numbers = set(wanted)
    records: dict[int, Record] = {}
    if not numbers:
        return records
    last = max(numbers)
    async for record in stream_entries(bus, session):
        if record.n > last:
            break
        if record.n in numbers and record.n not in records:
            records[record.n] = record
    return records


async def read_closing(bus: Bus, session: str) -> dict[str, Any]:
    """Why the session was closed, and its totals."""
    async for record in stream_entries(bus, session):
        if record.entry.kind == "session.closed":
            return closing_row(record.entry)
    raise Failure(f"session {session!r} has no end")


def closing_row(entry: Any) -> dict[str, Any]:
    """A `session.closed` as data."""
    return {"reason": entry.reason, "rule": entry.rule, "by": entry.by, "totals": entry.totals}


@dataclass(slots=True)
class Replay:
    """A session folded from its first entry, with what each entry changed."""

    memory: Memory
    facts: list[Fact]
    records: dict[int, Record]  # by n


async def replay_log(bus: Bus, packs: Packs, session: str) -> Replay:
    """The whole log, folded here."""
    info = await bus.info(session)
    replay = Replay(Memory(packs.known), [], {})
    pages = read_pages(bus, session, to=info.head)
    async for record, facts in replay_pages(replay.memory, pages, info.skips):
        if record.seq not in info.skips:
            replay.facts += facts
            replay.records.setdefault(record.n, record)
    return replay
