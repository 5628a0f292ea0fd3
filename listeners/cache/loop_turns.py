"""Turns of long work on the loop that answers others: they go first between two of them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

import anyio
import anyio.lowlevel

from parley.bus.entries import PackRef, Record
from parley.memory.errors import DomainError
from parley.memory.state.memory import Memory, Packs

PASSES: Final = 8  # of the loop between two turns at most: what a request takes, and some
_IDLE_SECONDS: Final = 20e-6  # that a pass takes in which nobody else ran: some 2 us

_give_way_lock = anyio.lowlevel.RunVar[anyio.Lock]("parley_give_way")


async def give_way() -> None:
    """Let what is ready on this loop run before the next turn, until nothing more is.

    A request comes to its answer by several passes of the loop, and would wait for a turn at
    each. Those who are busy without end leave a turn after `PASSES` passes, and long works
    take turns in the order in which they came: one turn of one of them at a time.
    """
    async with _lock():
        for _ in range(PASSES):
            began = anyio.current_time()  # of a loop with a clock of its own: always one pass
            await anyio.lowlevel.checkpoint()
            if anyio.current_time() - began < _IDLE_SECONDS:
                return


def _lock() -> anyio.Lock:
    """Of this loop."""
    lock = _give_way_lock.get(None)
    if lock is None:
        lock = anyio.Lock(fast_acquire=True)
        _give_way_lock.set(lock)
    return lock


async def compile_packs(packs: Packs, refs: tuple[PackRef, ...]) -> None:
    """Have what reads with the packs that `refs` name compiled, pattern by pattern.

    Here and not in a thread: RE2 compiles with the lock of the interpreter in its hands. What
    cannot be compiled is left to whoever reads with it, and says so.
    """
    with suppress(DomainError):
        for _ in Memory(packs).compile_packs(refs):
            await give_way()


async def compile_packs_of(records: Iterable[Record], packs: Packs) -> None:
    """`compile_packs` of all that one of `records` puts in force."""
    for record in records:
        if refs := getattr(record.entry, "packs", None):
            await compile_packs(packs, refs)
