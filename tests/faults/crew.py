"""Worker processes that are killed, frozen and replaced."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import redis

from tests.support.processes.own_code import OWN_CODE
from tests.support.servers.patience import PATIENCE
from tests.support.servers.servers import RedisServer

ROOT = Path(__file__).parents[2]
DWELL = 0.2  # seconds that a spared victim goes on, with what it holds or past it
LENIENCE = 0.3  # share of victims so spared; were all killed at once, no entry would be innocent
STALKED = 0.6  # seconds that a victim is stalked until it holds a session
COMMITTING = 0.8  # share of the frozen that stop between their fold and their commit


@dataclass(frozen=True, slots=True)
class Kill:
    """A worker killed, and the sessions that it had claimed at that moment."""

    pid: int
    sessions: tuple[str, ...]


class Crew:
    """Fold and effect workers on one server; a context manager that leaves none behind."""

    def __init__(
        self,
        server: RedisServer,
        folder: Path,
        *,
        folders: int = 4,
        runners: int = 2,
        lease_ms: int = 2_000,
        batch: int = 500,
        without: Mapping[str, str] | None = None,
        planted: str = "",
        versions: int = 1,
        model: str = "",
        seed: int = 0,
    ) -> None:
        self._server = server
        self._log = folder / "workers.log"
        self._up = folder / "up"
        self._options = {
            "url": server.url, "lease_ms": lease_ms, "batch": batch, "without": dict(without or {}),
            "up": str(self._up), "planted": planted, "model": model,
        }  # fmt: skip
        self._lanes = ["fold"] * folders + ["effects"] * runners
        self._versions, self._started = versions, 0
        self._workers: list[tuple[str, subprocess.Popen[bytes]]] = []
        self._asleep: list[subprocess.Popen[bytes]] = []
        self._chance = random.Random(seed)
        self.kills: list[Kill] = []
        self.freezes: list[Kill] = []
        self.deaths: list[int] = []  # exit codes of workers that nobody killed

    def __enter__(self) -> Self:
        self._up.mkdir()
        self._workers = [(lane, self._start(lane)) for lane in self._lanes]
        return self

    def __exit__(self, *exc: object) -> None:
        for _, worker in self._workers:
            worker.kill()
            worker.wait()
        self._workers = []

    @property
    def size(self) -> int:
        return len(self._lanes)

    def up(self) -> int:
        """How many workers have begun to work."""
        return sum(self._is_up(worker) for _, worker in self._workers)

    async def kill_worker(self) -> None:
        """Kill -9 a random worker, a random moment after it took work, and replace it.

        The moment matters: always killed at once, every taker of a long session
        would die before it had read it, and look like the victim of an entry.
        """
        place, lane, worker = self._victim(self._lanes)
        if await self._stalk(lane, worker) and self._chance.random() < LENIENCE:
            worker.send_signal(signal.SIGCONT)
            await asyncio.sleep(self._chance.uniform(0.0, DWELL))
            worker.send_signal(signal.SIGSTOP)
        sessions = self._sessions_of(lane, worker.pid)
        worker.kill()
        code = worker.wait()
        if code == -signal.SIGKILL:
            self.kills.append(Kill(worker.pid, sessions))
        else:
            self.deaths.append(code)
        self._workers[place] = (lane, self._start(lane))

    @asynccontextmanager
    async def frozen(self, count: int) -> AsyncIterator[None]:
        """Stop that many fold workers, each while it holds a session if possible.

        Afterwards they go on as zombies: sure of their claims, whatever happened since. Some
        have read and folded, and only the commit of it is left to do.
        """
        stopped: list[subprocess.Popen[bytes]] = []
        for _ in range(count):
            _, lane, worker = self._victim(["fold"])
            if worker not in self._asleep:
                self._asleep.append(worker)
                stopped.append(worker)
                committing = self._chance.random() < COMMITTING
                stop = self._await_commit if committing else self._stalk
                self.freezes.append(Kill(worker.pid, await stop(lane, worker)))
        try:
            yield
        finally:
            for worker in stopped:
                self._asleep.remove(worker)
                if worker.poll() is None:
                    worker.send_signal(signal.SIGCONT)

    def drain(self, seconds: float = PATIENCE) -> list[int]:
        """SIGTERM to all; their exit codes."""
        for _, worker in self._workers:
            worker.send_signal(signal.SIGCONT)
            worker.terminate()
        codes = [worker.wait(seconds) for _, worker in self._workers]
        self._workers = []
        return codes

    def _victim(self, lanes: Sequence[str]) -> tuple[int, str, subprocess.Popen[bytes]]:
        """A random worker of these lanes, one that has begun to work if there is any."""
        workers = [
            (place, lane, worker)
            for place, (lane, worker) in enumerate(self._workers)
            if lane in lanes
        ]
        return self._chance.choice([row for row in workers if self._is_up(row[2])] or workers)

    def _is_up(self, worker: subprocess.Popen[bytes]) -> bool:
        return (self._up / str(worker.pid)).exists()

    async def _stalk(self, lane: str, worker: subprocess.Popen[bytes]) -> tuple[str, ...]:
        """Leave `worker` stopped, holding something unless that takes too long; what it holds."""
        deadline = time.monotonic() + STALKED
        while True:
            if worker.poll() is not None:
                return ()
            worker.send_signal(signal.SIGSTOP)
            sessions = self._sessions_of(lane, worker.pid)
            if sessions or time.monotonic() > deadline:
                return sessions
            worker.send_signal(signal.SIGCONT)
            await asyncio.sleep(self._chance.uniform(0.001, 0.02))

    async def _await_commit(self, lane: str, worker: subprocess.Popen[bytes]) -> tuple[str, ...]:
        """Leave `worker` stopped, in front of its next commit unless that takes too long."""
        if not self._is_up(worker):  # it would die of the signal
            return await self._stalk(lane, worker)
        worker.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + STALKED
        while not _is_stopped(worker.pid) and time.monotonic() < deadline:
            await asyncio.sleep(0.005)
        worker.send_signal(signal.SIGUSR2)
        worker.send_signal(signal.SIGSTOP)
        return self._sessions_of(lane, worker.pid)

    def _sessions_of(self, lane: str, pid: int) -> tuple[str, ...]:
        owner = f"{socket.gethostname()}-{pid}-{lane}".encode()
        with self._server.client() as client, suppress(redis.ConnectionError):  # it is down
            ask: Any = client  # redis-py types its replies for every client setting at once
            claims: dict[bytes, bytes] = ask.hgetall(f"parley:{{0}}:claims:{lane}")
            return tuple(
                member.decode()
                for member, claim in claims.items()
                if claim.split()[1] == owner and claim.split()[0] != b"-"
            )
        return ()

    def _start(self, lane: str) -> subprocess.Popen[bytes]:
        self._started += 1
        fold = "another" if lane == "fold" and self._started % self._versions else ""
        options = json.dumps({**self._options, "lane": lane, "fold": fold})
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "tests.faults.worker", options],
                cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, "PYTHONPATH": OWN_CODE},
            )  # fmt: skip


def _is_stopped(pid: int) -> bool:
    """Whether the process is stopped, or gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "TZ"
    except OSError:
        return True
