"""An event loop whose time is its own: it jumps to the next timer when nothing is ready.

Under `run_virtual` an hour of waiting takes no time, and the same program runs
in the same order every time, as long as all it waits for is itself: timers,
events, queues, futures. There are no threads and no sockets here; whoever would
wait for one waits for nothing, which is `Stalled` instead of a hang.

anyio has no clock of its own to replace: on asyncio it asks the loop, so the loop is here.
"""

from __future__ import annotations

import asyncio
import math
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, Final, NoReturn, TypeVar

T = TypeVar("T")

# asyncio takes a timer less than a nanosecond ahead for due; a float that counts more
# seconds than this has no digit for a nanosecond, and the loop would spin
_DAYS: Final = 90


class Stalled(RuntimeError):
    """Every task waits, and nothing is scheduled that could wake one."""

    def __init__(self, waiting: list[str]) -> None:
        named = ", ".join(sorted(waiting)) or "none is left"
        super().__init__(
            f"nothing is ready and nothing is scheduled, so these tasks wait for ever: {named}; "
            "virtual time knows timers alone, neither threads nor sockets"
        )


class _Leap(selectors.SelectSelector):
    """Where a loop would sleep until its next timer, time moves on by as much at once."""

    def __init__(self, stalled: Callable[[], NoReturn]) -> None:
        super().__init__()
        self.now = 0.0
        self._stalled = stalled

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)  # a signal's wake-up comes this way
        if ready:
            return ready
        if timeout is None:
            self._stalled()
        if timeout > 0:
            # a wait too short for the clock's digits must still end
            self.now = max(self.now + timeout, math.nextafter(self.now, math.inf))
            if self.now > _DAYS * 86_400:
                raise RuntimeError(f"virtual time ends after {_DAYS} days")
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """`time()` begins at 0 and moves only when every task waits for a timer."""

    def __init__(self) -> None:
        self._leap = _Leap(self._stalled)
        super().__init__(self._leap)

    def time(self) -> float:
        return self._leap.now

    def run_in_executor(  # type: ignore[override] # whatever it is given
        self, *_: Any, **__: Any
    ) -> NoReturn:
        """Raises: what a thread does takes real time, and ends in any order."""
        raise RuntimeError("a virtual loop runs no threads; call the function itself")

    def _stalled(self) -> NoReturn:
        raise Stalled([task.get_name() for task in asyncio.all_tasks(self)])


def run_virtual(main: Coroutine[Any, Any, T]) -> T:
    """What `main` comes to, in virtual time. Raises `Stalled` where it would never end."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
