"""When a vote is counted with what is there, by the clock of the log."""

from __future__ import annotations

from parley.bus import Bus, SessionInfo
from parley.listeners.cache.ranges import find_primary_entry, read_pages


async def read_end_ms(bus: Bus, info: SessionInfo, n: int, seconds: int) -> int:
    """When the vote that entry `n` initiated is over, `seconds` being its time; Unix time in ms.

    It counts from its call, or from when the session was forked, where that was later.
    Raises `RangeGone` where the log has no such entry, `SessionNotFound`.
    """
    called = await find_primary_entry(bus, info.session, n)
    begin_ms = called.received_ms
    if info.origin:
        async for page in read_pages(bus, info.session, called.seq):
            forks = [record.received_ms for record in page if record.entry.kind == "session.forked"]
            begin_ms = max([begin_ms, *forks])
    return begin_ms + seconds * 1000
