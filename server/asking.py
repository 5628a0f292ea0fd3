"""What is asked of a session on a bus: its minutes, an item's story, its memory to the letter."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bus import Bus
from bus.entries import Record
from listeners.reader import MemoryReader
from memory.errors import UnknownRef
from memory.fold import apply
from memory.items import Decision, Fact, Proposal
from memory.state import Memory
from server.minutes import cited, decision_row, minutes, proposal_row
from server.packs import Packs

PAGE: Final = 1000  # entries a round trip


async def entries(bus: Bus, session: str, to: int | None = None) -> AsyncIterator[Record]:
    """Every entry of the log, in order, up to seq `to`."""
    after = 0
    while page := await bus.read(session, after, to=to, count=PAGE):
        for record in page:
            yield record
        after = page[-1].seq


async def said(bus: Bus, session: str, wanted: Iterable[int]) -> dict[int, Record]:
    """The primary entries of these numbers, by number."""
    numbers = set(wanted)
    found: dict[int, Record] = {}
    if not numbers:
        return found
    last = max(numbers)
    async for record in entries(bus, session):
        if record.n > last:
            break
        if record.n in numbers and record.n not in found:
            found[record.n] = record
    return found


async def report(bus: Bus, packs: Packs, session: str) -> dict[str, Any]:
    """The minutes of a session as it stands now."""
    memory = await MemoryReader(bus, packs.known).current(session)
    return minutes(memory, await said(bus, session, cited(memory)))


@dataclass(slots=True)
class Replayed:
    """A session folded from its first entry, with what each entry changed."""

    memory: Memory
    facts: list[Fact]
    said: dict[int, Record]


async def replayed(bus: Bus, packs: Packs, session: str) -> Replayed:
    """The whole log, folded here."""
    info = await bus.info(session)
    found = Replayed(Memory(packs.known), [], {})
    async for record in entries(bus, session, info.head):
        if record.seq in info.skips:
            continue
        found.facts += apply(found.memory, record)
        found.said.setdefault(record.n, record)
    return found


async def explained(bus: Bus, packs: Packs, session: str, ref: str) -> dict[str, Any]:
    """One item with its evidence, quoted, who stood where, and how it came to be.

    Raises `UnknownRef`.
    """
    found = await replayed(bus, packs, session)
    item = _item(found.memory, ref)
    row = (
        decision_row(item, found.said)
        if isinstance(item, Decision)
        else proposal_row(item, found.said)
    )
    history = [
        {"n": fact.n, "kind": fact.kind, **fact.data} for fact in found.facts if fact.ref == ref
    ]
    return {**row, "history": history}


def _item(memory: Memory, ref: str) -> Proposal | Decision:
    """The item as it was numbered, struck and merged ones included."""
    shelf: Mapping[int, Proposal | Decision] = (
        memory.proposals if ref[:1] == "P" else memory.decisions if ref[:1] == "D" else {}
    )
    number = ref[1:]
    item = shelf.get(int(number)) if number.isdecimal() else None
    if item is None:
        raise UnknownRef(ref)
    return item
