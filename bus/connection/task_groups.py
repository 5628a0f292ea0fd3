"""Task groups whose errors come out as they are, and waits that something else may end.

For tasks that last no longer than one block; `tasks` is for those that outlive it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVarTuple, Unpack

import anyio
from anyio.abc import TaskGroup

Ts = TypeVarTuple("Ts")


@asynccontextmanager
async def open_task_group() -> AsyncIterator[TaskGroup]:
    """An anyio task group that raises the first error of its tasks, not a group of errors.

    The others are cancelled by then. To be entered and left by the same task: never
    across the `yield` of a fixture or of an async generator.
    """
    try:
        async with anyio.create_task_group() as group:
            yield group
    except BaseExceptionGroup as errors:
        error = _first_error(errors)
        raise error from error.__cause__


def _first_error(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


@asynccontextmanager
async def run_beside(
    function: Callable[[Unpack[Ts]], Coroutine[Any, Any, Any]], *args: *Ts
) -> AsyncIterator[None]:
    """Runs `function(*args)` for as long as the body lasts, then cancels it.

    Raises what either raises first; the other is cancelled by then.
    """
    async with open_task_group() as group:
        group.start_soon(function, *args)
        yield
        group.cancel_scope.cancel()


async def wait_unless_set(stop: anyio.Event, wait: Awaitable[object]) -> None:
    """Waits for `wait`, or until `stop` is set: then `wait` is cancelled. Raises what it raises."""
    async with open_task_group() as group:
        group.start_soon(_cancel_when_set, stop, group.cancel_scope)
        await wait
        group.cancel_scope.cancel()


async def _cancel_when_set(event: anyio.Event, scope: anyio.CancelScope) -> None:
    """Cancels `scope` once `event` is set."""
    await event.wait()
    scope.cancel()
