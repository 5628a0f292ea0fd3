"""Sessions on a real bus for tests of whoever listens to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import cast

import anyio

from parley.bus import Bus, Draft, Receipt
from parley.bus.entries import Message, Record, SummaryMade
from parley.listeners.workers.effect_runner import EffectRunner
from parley.listeners.workers.projector import Projector
from parley.listeners.workers.vote_counter import VoteCounter
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS, opened

SPEAKERS = ("ana", "bo", "cy", "dee", "eli")
THOUGHTS = (
    "I propose we rebuild the index before the next release.",
    "+1",
    "The log shows nothing odd.",
    "I oppose P1 because it costs too much.",
    "What if we move the nightly backups to the other team?",
    "Let me look that up.",
    "We have decided to keep the old importer.",
    "Morning all.",
    "I support P1.",
)


def thoughts(count: int, first: int = 1) -> list[Draft]:
    """Messages `first`, `first` + 1, …: a few proposals, votes and claims among plain talk."""
    return [
        Draft(
            f"m{k}",
            Message(
                participant=SPEAKERS[k % len(SPEAKERS)],
                content=f"{THOUGHTS[k % len(THOUGHTS)]} ({k})",
            ),
        )
        for k in range(first, first + count)
    ]


async def discuss(
    bus: Bus, session: str, count: int, first: int = 1, **settings: object
) -> list[Receipt]:
    """Open `session` with its first messages, or go on with it where `first` is later."""
    if first == 1:
        await bus.open(session, opened(**settings))
    return await bus.publish(session, thoughts(count, first))


async def whole(bus: Bus, session: str) -> list[Record]:
    """Every record of the session."""
    records: list[Record] = []
    while page := await bus.read(session, after=records[-1].seq if records else 0):
        records += page
    return records


def past(records: Sequence[Record], ms: int = 3_600_000) -> list[Record]:
    """The log as it is where all of that was published so much earlier."""
    return [
        Record(record.seq, record.n, record.id, record.received_ms - ms, record.entry)
        for record in records
    ]


def replayed(records: Sequence[Record], skips: Sequence[int] = ()) -> tuple[Memory, list[Fact]]:
    """What folding `records` in one go comes to."""
    memory, facts = Memory(PACKS), []
    for record in records:
        if record.seq not in skips:
            facts += apply(memory, record)
    return memory, facts


async def replayed_bytes(bus: Bus, session: str) -> bytes:
    """The canonical bytes that a replay of the log gives."""
    info = await bus.info(session)
    memory, _ = replayed(await whole(bus, session), info.skips)
    return dump(memory)


async def standing(bus: Bus, session: str) -> list[tuple[int, int, int, str]]:
    """(level, first, last, how) of every summary in the log, in its order."""
    return [
        (entry.level, entry.first, entry.last, entry.how)
        for entry in [
            cast("SummaryMade", record.entry)
            for record in await whole(bus, session)
            if record.entry.kind == "summary.made"
        ]
    ]


@asynccontextmanager
async def running(*workers: Projector | EffectRunner | VoteCounter) -> AsyncIterator[None]:
    """`workers` serve while inside; then they drain."""
    stop = anyio.Event()
    async with asyncio.TaskGroup() as tasks:
        for worker in workers:
            tasks.create_task(worker.run(stop))
        try:
            yield
        finally:
            stop.set()


async def is_settled(bus: Bus, *sessions: str) -> bool:
    """True when each head is folded and no effect is due."""
    for session in sessions:
        info = await bus.info(session)
        if info.folded < info.head or info.due.get("effects"):
            return False
    return True
