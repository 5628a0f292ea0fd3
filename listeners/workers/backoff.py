"""How a worker waits: for work, after a failure, and while Redis is away."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

import structlog

from parley.bus.connection.tasks import cancel_and_wait
from parley.bus.contract.errors import Unavailable

FIRST_BACKOFF_MS: Final = 200
LAST_BACKOFF_MS: Final = 30_000
FIRST_PAUSE_SECONDS: Final = 0.1
LAST_PAUSE_SECONDS: Final = 5.0  # Redis is back within seconds, or a person is at work on it

log = structlog.get_logger("parley.worker")


def backoff_ms(failures: int) -> int:
    """How long what failed `failures` times (from 1) is left alone: doubling, bounded."""
    return min(LAST_BACKOFF_MS, FIRST_BACKOFF_MS << min(failures - 1, 16))


def bound_idle_seconds(next_ms: int | None, idle_seconds: float) -> float:
    """Seconds to wait for a hint when nothing is due: no longer than until something is."""
    if next_ms is None:
        return idle_seconds
    return max(0.001, min(idle_seconds, next_ms / 1000))


async def serve_rounds(
    stop: asyncio.Event,
    round: Callable[[], Awaitable[float]],
    wait_due: Callable[[float], Coroutine[Any, Any, object]],
) -> None:
    """Do `round` after `round` until `stop` is set, waiting where one says so.

    A round that has begun is finished. While Redis is away, tries again at
    growing intervals.
    """
    pause = 0.0
    while not stop.is_set():
        try:
            wait = await round()
            if wait > 0:
                await wait_unless_stopped(stop, wait_due(wait))
            pause = 0.0
        except Unavailable as error:
            pause = min(LAST_PAUSE_SECONDS, pause * 2 or FIRST_PAUSE_SECONDS)
            log.warning("redis_unavailable", reason=str(error), retry_seconds=pause)
            await wait_unless_stopped(stop, asyncio.sleep(pause))


async def wait_unless_stopped(stop: asyncio.Event, wait: Coroutine[Any, Any, object]) -> None:
    """Wait for `wait`, or until `stop` is set; what `wait` raises is raised."""
    waiting = asyncio.create_task(wait)
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait([waiting, stopping], return_when=asyncio.FIRST_COMPLETED)
        if waiting.done():
            waiting.result()
    finally:
        await cancel_and_wait(waiting, stopping)
