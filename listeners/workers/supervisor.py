"""Children that do a process' work: started, started again when they die, ended in order."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final

import anyio
from anyio.abc import Process

from parley.bus.connection.event_log import EventLog
from parley.bus.connection.task_groups import wait_unless_set

DEATHS: Final = 5  # within DEATHS_SECONDS: not an accident any more
DEATHS_SECONDS: Final = 30.0
RESTART_SECONDS: Final = 0.2

log = EventLog("parley.worker")


async def supervise_child(
    name: str,
    command: Sequence[str],
    stop: anyio.Event,
    drain_seconds: float,
    *,
    environment: Mapping[str, str] | None = None,
    finishes: bool = False,
) -> bool:
    """Keep one child alive until `stop`; where it `finishes`, until it ends with 0.

    False, and `stop` set, when it died `DEATHS` times within `DEATHS_SECONDS`.
    """
    deaths: deque[float] = deque(maxlen=DEATHS)
    while not stop.is_set():
        status = await _run_child(command, environment, stop, drain_seconds)
        if stop.is_set() or (finishes and status == 0):
            break
        log.error("worker_died", lane=name, status=status)
        deaths.append(time.monotonic())
        if len(deaths) == DEATHS and deaths[-1] - deaths[0] < DEATHS_SECONDS:
            log.error("worker_keeps_dying", lane=name, deaths=DEATHS, seconds=DEATHS_SECONDS)
            stop.set()
            return False
        await anyio.sleep(RESTART_SECONDS)
    return True


async def _run_child(
    command: Sequence[str],
    environment: Mapping[str, str] | None,
    stop: anyio.Event,
    drain_seconds: float,
) -> int:
    """The exit status of a child that ran until its end or `stop`."""
    child = await anyio.open_process(command, stdin=None, stdout=None, stderr=None, env=environment)
    try:
        await wait_unless_set(stop, child.wait())
    finally:
        with anyio.CancelScope(shield=True):
            status = await _end_child(child, drain_seconds)
    return status


async def _end_child(child: Process, drain_seconds: float) -> int:
    """The exit status of `child`, ended with SIGTERM and, past its grace, with SIGKILL."""
    if child.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            child.terminate()
        with anyio.move_on_after(drain_seconds + 2.0):
            await child.wait()
    if child.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
    return await child.wait()
