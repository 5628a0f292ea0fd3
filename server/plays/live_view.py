"""A session shown live, line by line, beside whatever else a command does."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from parley.bus import Bus
from parley.bus.connection.tasks import cancel_and_wait
from parley.server.basics.output import stderr
from parley.server.render.events.live_text import print_line

CATCH_UP_SECONDS: Final = 5


@asynccontextmanager
async def show_live(bus: Bus, session: str, after: int, *, live: bool) -> AsyncIterator[None]:
    """Shows what comes after `after` on stderr while the body runs, and the rest of it then."""
    if not live:
        yield
        return
    seen = _Seen(after)
    following = asyncio.create_task(_follow(bus, session, after, seen), name="parley-follow")
    try:
        yield
        head = (await bus.info(session)).head
        with contextlib.suppress(TimeoutError):  # the log has it all
            async with asyncio.timeout(CATCH_UP_SECONDS):
                await seen.until(head)
    finally:
        await cancel_and_wait(following)


class _Seen:
    def __init__(self, seq: int) -> None:
        self._seq = seq
        self._moved = asyncio.Event()

    def move(self, seq: int) -> None:
        self._seq = max(self._seq, seq)
        self._moved.set()

    async def until(self, seq: int) -> None:
        while self._seq < seq:
            self._moved.clear()
            await self._moved.wait()


async def _follow(bus: Bus, session: str, after: int, seen: _Seen) -> None:
    console = stderr()
    async with bus.subscribe(session, after=after) as heard:
        async for record in heard:
            print_line(console, record)
            seen.move(record.seq)
