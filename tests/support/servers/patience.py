"""Waiting in tests: poll for what should come true, never for an amount of time."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

PATIENCE: Final = 120.0  # seconds: what takes moments, on a machine that others keep very busy


async def cancel_and_wait(*tasks: asyncio.Task[Any]) -> None:
    """Cancels tasks of a test and waits until each is over. What they raise is dropped.

    Once is not enough: redis-py 8.1 sends through asyncio.wait_for where a socket timeout is
    set, and in Python 3.11 that may swallow a cancellation.
    """
    while left := [task for task in tasks if not task.done()]:
        for task in left:
            task.cancel()
        await asyncio.wait(left, timeout=0.1)
    for task in tasks:
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not log it as missed


async def wait_until(
    predicate: Callable[[], object] | Callable[[], Awaitable[object]],
    timeout: float = PATIENCE,
    *,
    every: float = 0.01,
) -> None:
    """Return as soon as `predicate` (plain or async) is true.

    Fails the test with the predicate's name when `timeout` seconds did not
    make it true; what the predicate raises ends the wait at once.
    """
    deadline = time.monotonic() + timeout
    while True:
        result = predicate()
        if inspect.isawaitable(result):
            result = await result
        if result:
            return
        if time.monotonic() >= deadline:
            raise AssertionError(f"not true within {timeout:g} s: {predicate!r}")
        await asyncio.sleep(every)


def apart(waiting: Coroutine[Any, Any, None]) -> None:
    """Run `waiting` to its end from a test that blocks, as one that drives a browser does.

    A loop may run in its thread already, so this one has a thread of its own.
    """
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, waiting).result()
