"""What Ctrl-C and SIGTERM do to a command that others wait for: once asks, twice ends."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskStatus

from parley.bus.connection.task_groups import open_task_group


@dataclass(slots=True)
class Interrupted:
    """`stop` is set by the first signal; `by` is that signal's number then."""

    stop: anyio.Event = field(default_factory=anyio.Event)
    by: int = 0

    @property
    def exit_code(self) -> int:
        """As a shell knows a process that a signal ended: 130 for Ctrl-C; 0 without one."""
        return 128 + self.by if self.by else 0


@asynccontextmanager
async def handle_signals(say: Callable[[], None]) -> AsyncIterator[Interrupted]:
    """While the body runs the first signal is a wish to stop, told with `say`; the next ends it."""
    interrupted = Interrupted()
    async with open_task_group() as tasks:
        await tasks.start(_handle_first_signal, interrupted, say)
        yield interrupted
        tasks.cancel_scope.cancel()


async def _handle_first_signal(
    interrupted: Interrupted, say: Callable[[], None], *, task_status: TaskStatus[None]
) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        interrupted.by = int(await anext(signals))
    interrupted.stop.set()
    with suppress(OSError):  # nobody reads stderr any more: it stops all the same
        say()
