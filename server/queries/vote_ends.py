"""When the votes that run are counted with what is there, by the clock of the log."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from parley.bus import Bus
from parley.listeners.cache.ranges import RangeGone
from parley.listeners.votes.vote_times import read_end_ms
from parley.memory.state.memory import Memory
from parley.memory.voting.turnout import pending_votes, vote_seconds
from parley.server.rows.cite_rows import Row


async def add_ends(bus: Bus, session: str, memory: Memory, rows: Iterable[Row]) -> None:
    """Put `ends_ms` (Unix time) into those of `rows` whose votes run in `memory`, in place.

    Memory is read before the first await: it may be one that others fold on. Raises
    `SessionNotFound`.
    """
    seconds = {vote.handle: vote_seconds(memory, vote) for vote in pending_votes(memory)}
    if not seconds:
        return
    info = await bus.info(session)
    for row in rows:
        if row["ref"] in seconds:
            with suppress(RangeGone):  # the log was replaced just now: whoever asks again sees
                row["ends_ms"] = await read_end_ms(bus, info, row["n"], seconds[row["ref"]])
