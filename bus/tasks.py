"""Ending a task for certain."""

from __future__ import annotations

import asyncio
from typing import Any


async def end(task: asyncio.Task[Any]) -> None:
    """Cancels `task` and waits until it is over.

    Once is not enough: redis-py sends through asyncio.wait_for where a socket
    timeout is set, and in Python 3.11 that may swallow a cancellation.
    """
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=0.1)
