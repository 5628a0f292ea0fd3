"""Ending tasks for certain."""

from __future__ import annotations

import asyncio
from typing import Any, Final

_AGAIN_SECONDS: Final = 0.1


async def cancel_and_wait(*tasks: asyncio.Task[Any]) -> None:
    """Cancels `tasks` and waits until each is over; what they raise is dropped.

    Once is not enough: redis-py 8.1 sends through asyncio.wait_for where a socket
    timeout is set, and in Python 3.11 that may swallow a cancellation.
    """
    while left := [task for task in tasks if not task.done()]:
        for task in left:
            task.cancel()
        await asyncio.wait(left, timeout=_AGAIN_SECONDS)
    for task in tasks:
        if not task.cancelled():
            task.exception()  # heard, so that nobody misses it
