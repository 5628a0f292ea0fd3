"""End a process whose event loop stands still.

A C loop that holds the interpreter's lock (a pattern gone wild, a broken
extension) stops heartbeats, lease renewals and signal handlers alike. Only a
thread of the C runtime still runs then: it writes every stack to stderr and
ends the process, so that its claims fall due for someone else.
"""

from __future__ import annotations

import faulthandler
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import anyio

from parley.bus.connection.task_groups import open_task_group

_REARMS: Final = 4  # times per deadline: a loop that is merely busy misses one or two


@asynccontextmanager
async def watch_loop(seconds: float) -> AsyncIterator[None]:
    """While inside, an event loop that is silent for `seconds` ends the process (status 1).

    0: never. One at a time in a process: the timer is the interpreter's own.
    """
    if not seconds:
        yield
        return
    try:
        async with open_task_group() as group:
            group.start_soon(_rearm, seconds)
            yield
            group.cancel_scope.cancel()
    finally:
        faulthandler.cancel_dump_traceback_later()


async def _rearm(seconds: float) -> None:
    while True:
        faulthandler.dump_traceback_later(seconds, exit=True, file=sys.__stderr__ or 2)
        await anyio.sleep(seconds / _REARMS)
