"""What folding costs as a log grows: lines of Python, counted, and the time of a line.

Lines are exact, the same however busy a machine is, so that their bound is as
sharp as the law. They show every scan that is written in Python. One that runs
inside C (`in` a list, a sort, a copy) is a single line that takes longer.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from parley.bus.entries import Record
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS

BLOCK = 1000  # entries timed at once: some 10-50 ms, with a share of all that happens
COUNTED = 200  # of each block, where lines are counted: counting takes ten times the work
MOST_TURNS = 15
HOPELESS = 2  # times too much is no noise, of three turns

Timed = Callable[[], float]
"""Does a piece of work, and gives the seconds that it took."""


@dataclass(frozen=True)
class Growth:
    """`lines`: times those of half the entries; `seconds` of a line: times those near the start."""

    lines: float
    seconds: float


def growth(log: Sequence[Record], start: int, half: int, enough: float) -> Growth:
    """What it costs to fold `log` on, once `start` entries are folded.

    Lines are counted of the next `half` entries and of twice as many, in a
    sample of each block: a scan costs each entry as much as its place in the log,
    so that none hides in the rest. The time of a line is that of the block of
    entries at `start` and of the last block of the log, each onto a memory just
    loaded; `enough` as in `times_longer`.
    """
    far, whole = len(log) - BLOCK, start + 2 * half
    memory = fold_records(Memory(PACKS), log[:start])
    near = dump(memory)
    first = lines_of_samples(memory, log[start : start + half])
    second = lines_of_samples(memory, log[start + half : whole])
    fold_records(memory, log[whole:far])
    seconds = _slower((near, log[start : start + BLOCK]), (dump(memory), log[far:]), enough)
    return Growth((first + second) / first, seconds)


def lines_of_samples(memory: Memory, records: Sequence[Record]) -> int:
    """The lines of the first entries of each block, while all `records` are folded."""
    count = 0
    for start in range(0, len(records), BLOCK):
        block = records[start : start + BLOCK]
        count += lines_run(memory, block[:COUNTED])
        fold_records(memory, block[COUNTED:])
    return count


def lines_run(memory: Memory, records: Sequence[Record]) -> int:
    """How many lines of Python folding `records` runs; each round of a loop runs its own."""
    count = 0

    def line(*_: object) -> Any:
        nonlocal count
        count += 1
        return line

    before = sys.gettrace()
    sys.settrace(line)
    try:
        fold_records(memory, records)
    finally:
        sys.settrace(before)
    return count


def calls_made(memory: Memory, records: Sequence[Record]) -> int:
    """How many calls folding `records` makes, of Python and of C: a regular expression that is
    searched for is one, however it is done.
    """
    count = 0

    def called(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        fold_records(memory, records)
    finally:
        sys.setprofile(before)
    return count


_Block = tuple[bytes, Sequence[Record]]


def _slower(near: _Block, far: _Block, enough: float) -> float:
    """Times as long that a line of `far` takes."""
    few, many = (lines_run(load(state, PACKS), records) for state, records in (near, far))
    more = many / few
    return times_longer(lambda: _folding(near), lambda: _folding(far), enough * more) / more


def _folding(block: _Block) -> float:
    state, records = block
    memory = load(state, PACKS)
    return seconds(lambda: fold_records(memory, records))


def times_longer(short: Timed, long: Timed, enough: float) -> float:
    """Times as many seconds that `long` takes, the best of at least three turns each.

    They take turns. Noise only ever adds to a time, so while the figure is above
    `enough` there are more of them, up to a bound, or until it is hopeless: noise
    must fall on every turn of the one and on not all of the other to harm.
    """
    least, most = short(), long()
    for turn in range(1, MOST_TURNS):
        if turn >= 3 and not enough < most / least < HOPELESS * enough:
            break
        least, most = min(least, short()), min(most, long())
    return most / least


def seconds(work: Callable[[], object]) -> float:
    """The processor time of this thread that `work` takes; no collection falls into it."""
    gc.disable()
    try:
        started = time.thread_time()
        work()
        return time.thread_time() - started
    finally:
        gc.enable()
