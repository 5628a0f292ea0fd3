"""What a message did, as doors tell its author once the message is in the log."""

from __future__ import annotations

from typing import Final

import anyio

from parley.bus.contract.errors import BusError
from parley.listeners.cache.memory_reader import MemoryReader
from parley.memory.errors import DomainError
from parley.memory.ledger.outcome_rows import OutcomeRow, outcome_row
from parley.server.runtime.backend import Backend

MOST_SECONDS: Final = 5  # for which anybody waits to hear it: the message itself is safe by then


async def read_outcome(
    reader: MemoryReader, session: str, n: int, seconds: float
) -> OutcomeRow | None:
    """`outcome_row` of a message that was published, waiting `seconds` at most for its fold.

    None where that is too short or the session cannot be read: what was published stands, and
    to post it is no failure. The facts of the live stream tell the same later.
    """
    with anyio.move_on_after(seconds):
        try:
            return outcome_row(await reader.current(session), n)
        except (BusError, DomainError):
            return None
    return None


async def find_outcome(backend: Backend, session: str, n: int) -> OutcomeRow | None:
    """`read_outcome` for a command, which waits as long as anybody may."""
    return await read_outcome(backend.reader, session, n, MOST_SECONDS)
