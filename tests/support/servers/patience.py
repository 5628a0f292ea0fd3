"""Waiting in tests: poll for what should come true, never for an amount of time."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

PATIENCE: Final = 120.0  # seconds: what takes moments, on a machine that others keep very busy


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
