"""What Ctrl-C and SIGTERM do to a command that others wait for: once asks, twice ends."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import anyio


@dataclass(slots=True)
class Interrupted:
    """`stop` is set by the first signal; `by` is that signal's number then."""

    stop: anyio.Event = field(default_factory=anyio.Event)
    by: int = 0

    @property
    def exit_code(self) -> int:
        """As a shell knows a process that a signal ended: 130 for Ctrl-C; 0 without one."""
        return 128 + self.by if self.by else 0


@contextmanager
def handle_signals(say: Callable[[], None]) -> Iterator[Interrupted]:
    """While the body runs the first signal is a wish to stop, told with `say`; the next ends it."""
    interrupted = Interrupted()
    loop = asyncio.get_running_loop()
    kinds = (signal.SIGINT, signal.SIGTERM)

    def ask(kind: signal.Signals) -> None:
        interrupted.by = int(kind)
        interrupted.stop.set()
        for each in kinds:
            loop.remove_signal_handler(each)
        say()

    for kind in kinds:
        loop.add_signal_handler(kind, ask, kind)
    try:
        yield interrupted
    finally:
        for kind in kinds:
            loop.remove_signal_handler(kind)
