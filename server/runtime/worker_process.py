"""Worker processes of our own: started, watched, revived, drained; and what a child inherits."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

import anyio
from anyio.abc import Process

import parley
from parley.bus import Bus
from parley.listeners.workers.supervisor import DEATHS, DEATHS_SECONDS
from parley.server.basics.errors import Failure
from parley.server.settings import Settings, environment
from parley.server.settings.old_names import OLD_PREFIX
from parley.server.settings.setting import PREFIX
from parley.server.settings.setting_sources import CONFIG

STALE_MS = 15_000  # a worker beats every few seconds; one silent this long is gone


async def has_live_worker(bus: Bus) -> bool:
    """Whether some worker has shown a sign of life lately."""
    return any(worker.age_ms < STALE_MS for worker in await bus.workers())


def worker_command() -> tuple[str, ...]:
    """Starts a worker that does not outlive this process."""
    return (sys.executable, "-m", "parley", "worker", "--minder", str(os.getpid()))


class WorkerProcess:
    """A worker process of our own; its log is shown only if it fails."""

    def __init__(self, settings: Settings, log: IO[bytes]) -> None:
        self._settings = settings
        self._log = log
        self._process: Process | None = None
        self._deaths: deque[float] = deque(maxlen=DEATHS)

    async def start(self) -> None:
        """Start it, under a log that begins anew."""
        self._log.seek(0)
        self._log.truncate()
        self._process = await anyio.open_process(
            worker_command(), stdin=subprocess.DEVNULL, stdout=self._log,
            stderr=self._log, env=child_environment(self._settings),
        )  # fmt: skip

    @property
    def ended(self) -> int | None:
        """The worker's exit status, once it has ended by itself."""
        return None if self._process is None else self._process.returncode

    def check(self, often: str = "") -> None:
        """Raises `Failure`, with the end of its log, once the worker has ended by itself."""
        if self.ended is not None:
            self._log.seek(0)
            log = self._log.read().decode(errors="replace").strip()[-2000:]
            reason = f"the worker ended with {self.ended}{often}"
            raise Failure(f"{reason}:\n{log}" if log else reason)

    async def revive(self) -> bool:
        """Start it again if it has ended; whether it had.

        Raises `Failure` where it ended `DEATHS` times within `DEATHS_SECONDS`.
        """
        if self.ended is None:
            return False
        self._deaths.append(time.monotonic())
        if len(self._deaths) == DEATHS and self._deaths[-1] - self._deaths[0] < DEATHS_SECONDS:
            self.check(f", {DEATHS} times within {DEATHS_SECONDS:.0f} s")
        await self.start()
        return True

    async def end(self) -> None:
        """Drain it, and end it where that takes too long; also in a cancelled scope."""
        if self._process is not None and self._process.returncode is None:
            with anyio.CancelScope(shield=True):
                await _end(self._process, self._settings.drain_seconds + 5)


@asynccontextmanager
async def run_worker_process(settings: Settings, url: str) -> AsyncIterator[WorkerProcess]:
    """A worker of our own, in processes of its own, drained at the end."""
    with tempfile.TemporaryFile() as log:
        helping = WorkerProcess(settings.model_copy(update={"redis": url}), log)
        await helping.start()
        try:
            yield helping
        finally:
            await helping.end()


async def _end(process: Process, grace: float) -> None:
    process.terminate()
    with anyio.move_on_after(grace):
        await process.wait()
        return
    process.kill()
    await process.wait()


def child_environment(settings: Settings) -> dict[str, str]:
    """The environment of a child that runs this very code under these settings alone."""
    ours = (PREFIX, OLD_PREFIX)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    root = str(Path(parley.__file__).parents[1])
    path = [root, *filter(None, [kept.get("PYTHONPATH")])]
    own = {**environment(settings), CONFIG: os.devnull}  # no file is read a second time
    return {**kept, "PYTHONPATH": os.pathsep.join(path), **own}
