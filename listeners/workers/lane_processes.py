"""The parent of a worker's lanes: forks a process for each, again where one dies, and ends them.

A fork begins with all that its parent has imported and compiled, and shares that memory: what
takes a process most of a second is done once for all of them. It must find no threads and no
event loop, so the parent has neither, and does nothing but wait. A lane that dies again and
again ends the worker, so that whoever runs it hears of it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from parley.bus.connection.event_log import EventLog, prepare_log
from parley.listeners.workers.supervisor import DEATHS, DEATHS_SECONDS, RESTART_SECONDS
from parley.listeners.workers.worker import Lane

GRACE_SECONDS: Final = 2.0  # beyond what a lane may take to drain
_LOOK_SECONDS: Final = 0.5  # between two looks at the minder, and at the children's grace
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGALRM)

log = EventLog("parley.worker")


def supervise(
    lanes: Mapping[Lane, Callable[[], int]],
    *,
    drain_seconds: float = 10.0,
    minder: int | None = None,
) -> int:
    """Run each lane in a child of this process until SIGTERM, SIGINT or the end of `minder`.

    In a child it returns what the lane returned, or raises what that raised: nothing but the
    end of the process should follow. In the parent it returns the exit code: 0 after a drain,
    1 when a lane died `DEATHS` times within `DEATHS_SECONDS`; the others are ended first,
    either way, with SIGKILL where they take two seconds more than `drain_seconds`. `minder` is
    the parent of this process.
    """
    prepare_log()
    parent = _Parent(lanes, drain_seconds, minder)
    with parent.signals():
        run = parent.mind()
    return parent.status if run is None else run()


class _Parent:
    def __init__(
        self, lanes: Mapping[Lane, Callable[[], int]], drain_seconds: float, minder: int | None
    ) -> None:
        self._lanes, self._grace, self._minder = lanes, drain_seconds + GRACE_SECONDS, minder
        self._running: dict[int, Lane] = {}  # lane by process id
        self._deaths = {lane: deque[float](maxlen=DEATHS) for lane in lanes}
        self._stopped: float | None = None  # since when the lanes are to end
        self.status = 0

    def mind(self) -> Callable[[], int] | None:
        """None once all have ended; in a child, what it is to run."""
        for lane, run in self._lanes.items():
            if self._fork(lane):
                return run
        while self._running:
            pid, status = os.wait()
            lane = self._running.pop(pid)
            if self._lives_on(lane, os.waitstatus_to_exitcode(status)) and self._fork(lane):
                return self._lanes[lane]
        return None

    @contextlib.contextmanager
    def signals(self) -> Iterator[None]:
        """While inside, signals end the lanes; a child has its parent's former handlers."""
        former = {number: signal.signal(number, self._hear) for number in _SIGNALS}
        signal.setitimer(signal.ITIMER_REAL, _LOOK_SECONDS, _LOOK_SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            for number, handler in former.items():
                signal.signal(number, handler)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)

    def _fork(self, lane: Lane) -> bool:
        """Whether this is the child. It has the signals blocked still, and is told of no other."""
        sys.stdout.flush()
        sys.stderr.flush()
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        if self._stopped is None:
            pid = os.fork()
            if not pid:
                return True
            self._running[pid] = lane
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        return False

    def _lives_on(self, lane: Lane, status: int) -> bool:
        """Whether `lane`, which ended with `status`, is to be started again."""
        if self._stopped is not None:
            return False
        log.error("worker_died", lane=lane, status=status)
        deaths = self._deaths[lane]
        deaths.append(time.monotonic())
        if len(deaths) == DEATHS and deaths[-1] - deaths[0] < DEATHS_SECONDS:
            log.error("worker_keeps_dying", lane=lane, deaths=DEATHS, seconds=DEATHS_SECONDS)
            self.status = 1
            self._stop()
            return False
        time.sleep(RESTART_SECONDS)  # nothing else is to be done here; signals are heard in it
        return True

    def _hear(self, number: int, _: object) -> None:
        if number != signal.SIGALRM or self._minder not in (None, os.getppid()):
            self._stop()
        if self._stopped is not None and time.monotonic() - self._stopped > self._grace:
            self._signal(signal.SIGKILL)

    def _stop(self) -> None:
        if self._stopped is None:
            self._stopped = time.monotonic()
            self._signal(signal.SIGTERM)

    def _signal(self, number: signal.Signals) -> None:
        for pid in self._running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
