"""Long work on the loop: others go first between its turns, and none of its turns is long."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable

import pytest

from parley.bus import Bus
from parley.bus.entries import Message, PackRef, Record, SessionOpened
from parley.listeners.cache.loop_turns import PASSES
from parley.listeners.cache.memory_cache import (
    TURN_SIZE,
    CachedMemory,
    fold_cooperatively,
    load_memory,
)
from parley.listeners.cache.memory_reader import MemoryReader
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS, opened

STEPS = 64
SHARE = 0.5  # of what all take: a quarter, with the automaton of two of eight
NUMBERS = itertools.count()  # what was compiled before is not compiled again


def long_talk(count: int) -> list[Record]:
    """Messages that take a turn of folding each."""
    said = Message(participant="ana", content="We walk to the pier. " * (TURN_SIZE // 10))
    opening = Record(1, 0, "open", 0, opened())
    return [opening, *(Record(k + 1, k, f"m{k}", 0, said) for k in range(1, count + 1))]


def spin() -> None:
    """Longer than a pass of the loop takes in which nobody runs."""
    until = time.perf_counter() + 0.0002
    while time.perf_counter() < until:
        pass


async def test_others_take_several_steps_between_two_turns() -> None:
    """An answer that takes eight passes of the loop waits for one turn, not for eight.

    Of however many long works: they go on one after the other.
    """
    copies = [CachedMemory(name, "", Memory(PACKS)) for name in "abc"]
    talk = long_talk(STEPS)
    foldings = [asyncio.create_task(fold_cooperatively(copy, talk, ())) for copy in copies]
    while min(copy.seq for copy in copies) < 3:
        await asyncio.sleep(0)
    seen = [sum(copy.seq for copy in copies)]
    for _ in range(STEPS):
        spin()
        await asyncio.sleep(0)
        seen.append(sum(copy.seq for copy in copies))
        assert max(copy.seq for copy in copies) - min(copy.seq for copy in copies) <= 4
    for folding in foldings:
        folding.cancel()
    turns = [later - seq for seq, later in itertools.pairwise(seen)]
    assert STEPS / PASSES - 1 <= sum(turns) <= STEPS / PASSES + 1


def costly(number: int) -> SessionOpened:
    """The opening of a session that brings as costly patterns as an import lets in."""
    rules = [
        {"name": f"r{k}", "act": "decide", "pattern": rf"\pL{{1,2}}number {number} {k}"}
        for k in range(8)
    ]
    return SessionOpened(packs=(PackRef("own@1", "0" * 32, {"name": "own@1", "rules": rules}),))


async def read_log(bus: Bus, number: int) -> object:
    await bus.open(f"s{number}", costly(number))
    return await MemoryReader(bus, PACKS).current(f"s{number}")


async def read_snapshot(_: Bus, number: int) -> object:
    stored = dump(_OPENED).replace(b"number -1", b"number %d" % number)
    return await load_memory(stored, PACKS, 1)


_OPENED = Memory(PACKS)
apply(_OPENED, Record(1, 0, "open", 0, costly(-1)))


async def longest_turn(work: Awaitable[object]) -> float:
    """Processor time of the loop's thread in its longest pass while `work` is done."""
    doing = asyncio.ensure_future(work)
    longest, began = 0.0, time.thread_time()
    while not doing.done():
        await asyncio.sleep(0)
        longest, began = max(longest, time.thread_time() - began), time.thread_time()
    await doing
    return longest


@pytest.mark.parametrize("read", [read_log, read_snapshot])
async def test_packs_are_compiled_a_pattern_at_a_turn(
    bus: Bus, read: Callable[[Bus, int], Awaitable[object]]
) -> None:
    """Of the time that they take in one go, others wait for a part."""
    shares: list[float] = []
    while not shares or (min(shares) > SHARE and len(shares) < 5):
        began = time.thread_time()
        Memory(PACKS).reader_of(costly(next(NUMBERS)).packs)
        whole = time.thread_time() - began
        shares.append(await longest_turn(read(bus, next(NUMBERS))) / whole)
    assert min(shares) <= SHARE
