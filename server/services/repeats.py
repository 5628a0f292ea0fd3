"""What a message said again: the author hears of it after the message is in the log."""

from __future__ import annotations

from typing import Any, Final

import anyio

from parley.bus.contract.errors import BusError
from parley.listeners.cache.memory_reader import MemoryReader
from parley.memory.errors import DomainError
from parley.memory.items import echoes
from parley.memory.state.memory import Memory
from parley.server.rows.item_rows import echo_row
from parley.server.runtime.backend import Backend

MOST_SECONDS: Final = 5  # for which anybody waits to hear it: the message itself is safe by then


def _list_repeats(memory: Memory, n: int) -> list[dict[str, Any]]:
    """The proposals of message `n` that repeat one of an earlier message, as rows.

    An echo row each, with `says`: when it was proposed, what became of it and why, on a line.
    """
    rows = []
    for proposal in memory.proposals.values():
        earlier = memory.proposals.get(proposal.echoes or 0)
        if proposal.born != n or not proposal.stands or earlier is None or earlier.born >= n:
            continue
        fate = echoes.describe_fate(memory, earlier)
        says = (
            f"{proposal.handle} was proposed in message {earlier.born} as {earlier.handle}, {fate}"
        )
        rows.append({**echo_row(proposal, memory), "says": says})
    return rows


async def read_repeats(
    reader: MemoryReader, session: str, n: int, seconds: float
) -> list[dict[str, Any]]:
    """`_list_repeats` of a message that was published, waiting `seconds` at most for its fold.

    Empty where that is too short or the session cannot be read: what was published stands, and
    to post it is no failure. The facts of the live stream tell the same later.
    """
    with anyio.move_on_after(seconds):
        try:
            return _list_repeats(await reader.current(session), n)
        except (BusError, DomainError):
            return []
    return []


async def find_repeats(backend: Backend, session: str, n: int) -> list[dict[str, Any]]:
    """`read_repeats` for a command, which waits as long as anybody may."""
    return await read_repeats(backend.reader, session, n, MOST_SECONDS)
