"""How a worker waits: for work, after a failure, and while Redis is away."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import anyio

from parley.bus.connection.event_log import EventLog
from parley.bus.connection.task_groups import wait_unless_set
from parley.bus.contract.errors import BusError, Unavailable, WrongType

_FIRST_BACKOFF_MS: Final = 200
_LAST_BACKOFF_MS: Final = 30_000
FIRST_PAUSE_SECONDS: Final = 0.1
LAST_PAUSE_SECONDS: Final = 5.0  # Redis is back within seconds, or a person is at work on it

Reached = TypeVar("Reached")

log = EventLog("parley.worker")


def backoff_ms(failures: int) -> int:
    """How long what failed `failures` times (from 1) is left alone: doubling, bounded."""
    return min(_LAST_BACKOFF_MS, _FIRST_BACKOFF_MS << min(failures - 1, 16))


def bound_idle_seconds(next_ms: int | None, idle_seconds: float) -> float:
    """Seconds to wait for a hint when nothing is due: no longer than until something is."""
    if next_ms is None:
        return idle_seconds
    return max(0.001, min(idle_seconds, next_ms / 1000))


async def serve_rounds(
    stop: anyio.Event,
    round: Callable[[], Awaitable[float]],
    wait_due: Callable[[float], Awaitable[object]],
) -> None:
    """Do `round` after `round` until `stop` is set; one that has begun is finished.

    A round says how many seconds to wait for what is due next, 0 for none. While Redis is
    away, or a key of the lane holds what nobody wrote, it is tried again at growing intervals.
    """
    pause = 0.0
    while not stop.is_set():
        try:
            wait = await round()
            if wait > 0:
                await wait_unless_set(stop, wait_due(wait))
            pause = 0.0
        except (Unavailable, WrongType) as error:
            pause = await _wait_out(error, stop, pause)


async def reach(connect: Callable[[], Awaitable[Reached]], stop: anyio.Event) -> Reached | None:
    """What `connect` gives, tried at growing intervals while Redis is away; None after `stop`."""
    pause = 0.0
    while not stop.is_set():
        try:
            return await connect()
        except Unavailable as error:
            pause = await _wait_out(error, stop, pause)
    return None


async def _wait_out(error: BusError, stop: anyio.Event, pause: float) -> float:
    """Waits longer than the last time, at most `LAST_PAUSE_SECONDS`; how long it was."""
    pause = min(LAST_PAUSE_SECONDS, pause * 2 or FIRST_PAUSE_SECONDS)
    event = "redis_unavailable" if isinstance(error, Unavailable) else "lane_damaged"
    log.warning(event, reason=str(error), retry_seconds=pause)
    await wait_unless_set(stop, anyio.sleep(pause))
    return pause
