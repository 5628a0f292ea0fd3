"""A session shown live, line by line, beside whatever else a command does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

import anyio

from parley.bus import Bus
from parley.bus.connection.event_log import EventLog
from parley.bus.connection.task_groups import run_beside
from parley.bus.entries import Record
from parley.bus.log.replies import FactRecord
from parley.server.basics.output import stderr
from parley.server.render.events.live_text import print_line

CATCH_UP_SECONDS: Final = 5

log = EventLog("parley.live")


@asynccontextmanager
async def show_live(bus: Bus, session: str, after: int, *, live: bool) -> AsyncIterator[None]:
    """Shows what comes after `after` on stderr while the body runs, and the rest of it then."""
    if not live:
        yield
        return
    async with follow_live(bus, session, after, partial(print_line, stderr())):
        yield


@asynccontextmanager
async def follow_live(
    bus: Bus, session: str, after: int, show: Callable[[Record | FactRecord], None]
) -> AsyncIterator[None]:
    """Calls `show` with what comes after `after` while the body runs, and the rest of it then.

    Where that fails it is logged, and the body goes on unseen.
    """
    progress = _Progress(after)
    async with run_beside(_follow, bus, session, after, show, progress):
        yield
        head = (await bus.info(session)).head
        with anyio.move_on_after(CATCH_UP_SECONDS):  # the log has it all
            await progress.wait_until(head)


class _Progress:
    """How far entries were shown."""

    def __init__(self, seq: int) -> None:
        self._seq = seq
        self._has_ended = False
        self._news = anyio.Event()

    def advance(self, seq: int) -> None:
        self._seq = max(self._seq, seq)
        self._announce()

    def end(self) -> None:
        """End the view: nothing more will be shown."""
        self._has_ended = True
        self._announce()

    async def wait_until(self, seq: int) -> None:
        """Returns once entry `seq` was shown, or none will be."""
        while self._seq < seq and not self._has_ended:
            await self._news.wait()

    def _announce(self) -> None:
        self._news.set()
        self._news = anyio.Event()


async def _follow(
    bus: Bus,
    session: str,
    after: int,
    show: Callable[[Record | FactRecord], None],
    progress: _Progress,
) -> None:
    try:
        async with bus.subscribe(session, after=after) as records:
            async for record in records:
                show(record)
                progress.advance(record.seq)
    except Exception as error:
        log.warning("live_view_lost", session=session, error=str(error))
    finally:
        progress.end()
