"""What commands run on: a bus, embedded where no address is given, and workers if need be."""

from __future__ import annotations

import asyncio
import faulthandler
import os
import sys
import tempfile
import time
from collections import deque
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

from bus import Bus, embedded
from listeners.minding import DEATHS, DEATHS_SECONDS
from server.errors import Failure
from server.settings import Settings, environment
from server.settings.aliases import OLD_PREFIX
from server.settings.leaves import PREFIX
from server.settings.sources import CONFIG

Result = TypeVar("Result")

STALE_MS = 15_000  # a worker beats every few seconds; one silent this long is gone


@dataclass(frozen=True, slots=True)
class Running:
    """A bus and the address that other processes reach it by."""

    bus: Bus
    url: str
    kind: str  # "given", or which server is embedded
    durable: bool


def run(main: Coroutine[Any, Any, Result]) -> Result:
    """What `main` comes to, on a fresh event loop. A crash below Python tells where it was."""
    if not faulthandler.is_enabled():
        faulthandler.enable(sys.__stderr__ or 2)
    return asyncio.run(main)


@asynccontextmanager
async def connected(settings: Settings, *, scratch: bool = False) -> AsyncIterator[Running]:
    """A bus on the Redis of the settings, or on the embedded one under `data`.

    `scratch` embeds a server of its own that is gone afterwards. Raises the
    bus's `Unavailable` where neither can be had.
    """
    if settings.redis and not scratch:
        async with await Bus.connect(
            settings.redis, require_durable=settings.require_durable
        ) as bus:
            yield Running(bus, settings.redis, "given", durable=True)
        return
    data = None if scratch or settings.embedded == "fake" else settings.data.expanduser()
    async with (
        embedded.serve(settings.embedded, data, lasting=True) as server,
        await Bus.connect(
            server.url, require_durable=settings.require_durable and not scratch
        ) as bus,
    ):
        yield Running(bus, server.url, server.kind, server.durable)


async def working(bus: Bus) -> bool:
    """Whether some worker has shown a sign of life lately."""
    return any(worker.age_ms < STALE_MS for worker in await bus.workers())


def worker_command() -> tuple[str, ...]:
    """Starts a worker that does not outlive this process."""
    return (sys.executable, "-m", "server", "worker", "--minder", str(os.getpid()))


class Helping:
    """A worker process of our own; its log is shown only if it fails."""

    def __init__(self, settings: Settings, log: IO[bytes]) -> None:
        self._settings = settings
        self._log = log
        self._process: asyncio.subprocess.Process | None = None
        self._deaths: deque[float] = deque(maxlen=DEATHS)

    async def start(self) -> None:
        """Start it, under a log that begins anew."""
        self._log.seek(0)
        self._log.truncate()
        self._process = await asyncio.create_subprocess_exec(
            *worker_command(), stdin=asyncio.subprocess.DEVNULL, stdout=self._log,
            stderr=self._log, env=child_environment(self._settings),
        )  # fmt: skip

    @property
    def ended(self) -> int | None:
        """Its exit status, once it has ended by itself."""
        return None if self._process is None else self._process.returncode

    def check(self, often: str = "") -> None:
        """Raises `Failure`, with the end of its log, once the worker has ended by itself."""
        if self.ended is not None:
            self._log.seek(0)
            said = self._log.read().decode(errors="replace").strip()[-2000:]
            told = f"the worker ended with {self.ended}{often}"
            raise Failure(f"{told}:\n{said}" if said else told)

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
        """Drain it, and end it where that takes too long."""
        if self._process is not None and self._process.returncode is None:
            await _end(self._process, self._settings.drain_seconds + 5)


@asynccontextmanager
async def worker_process(settings: Settings, url: str) -> AsyncIterator[Helping]:
    """A worker of our own, in processes of its own, drained at the end."""
    with tempfile.TemporaryFile() as log:
        helping = Helping(settings.model_copy(update={"redis": url}), log)
        await helping.start()
        try:
            yield helping
        finally:
            await helping.end()


async def _end(process: asyncio.subprocess.Process, grace: float) -> None:
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), grace)
    except TimeoutError:
        process.kill()
        await process.wait()


def child_environment(settings: Settings) -> dict[str, str]:
    """The environment of a child that runs this very code under these settings alone."""
    ours = (PREFIX, OLD_PREFIX)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    root = str(Path(__file__).resolve().parents[1])
    path = [root, *filter(None, [kept.get("PYTHONPATH")])]
    said = {**environment(settings), CONFIG: os.devnull}  # no file is read a second time
    return {**kept, "PYTHONPATH": os.pathsep.join(path), **said}
