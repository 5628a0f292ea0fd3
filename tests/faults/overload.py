"""Twice as much as the workers fold, for as long as one likes: `make overload`.

Publishers offer twice what was folded in the seconds before, on a server of their own, while
followers read over HTTP. A session holds so much backlog as is folded in some seconds; whoever
publishes beyond it is told `Busy`. Sessions begin anew after some thousand entries, so that
what memory a process takes once it is warm is its own affair. Afterwards it is said how much
was offered, taken and refused, how fast each process grew, and how soon all was folded.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from parley.bus import Bus, Draft
from parley.bus.contract.errors import Busy, SessionExists
from parley.bus.entries import Message, SessionOpened
from parley.listeners.sessions.shipped_packs import newest_packs
from tests.faults.followers import Heard, follow_events
from tests.faults.gateway import Gateway
from tests.support.processes.own_code import OWN_CODE
from tests.support.servers.patience import cancel_and_wait
from tests.support.servers.servers import RedisServer

ROOT: Final = Path(__file__).parents[2]
SESSIONS: Final = 8
ANEW: Final = 5_000  # entries after which a session is removed and opened again
BATCH: Final = 20  # messages of one publish
TIMES: Final = 2.0  # what is offered, by what is folded
FIRST: Final = 400.0  # messages a second, until it is known what is folded
BACKLOG_SECONDS: Final = 4.0  # of folding, that all sessions may hold together
SAMPLE_SECONDS: Final = 5.0
WARM: Final = 0.3  # share of the time that is not judged
RECOVERED_SECONDS: Final = 10.0
SLOPE: Final = 1.0  # MiB a minute
MIB: Final = 1 << 20


@dataclass(slots=True)
class Figures:
    """What came of it. `sizes` are (seconds, bytes) of each process, from its start on."""

    seconds: float
    offered: int = 0
    taken: int = 0
    busy: int = 0  # publishes refused
    folded: int = 0
    recovered: float = 0.0  # seconds from the last publish until all was folded
    effects: float = 0.0  # and until every effect had been run
    sizes: dict[str, list[tuple[float, int]]] = field(default_factory=dict)

    def slope(self, name: str) -> float:
        """MiB a minute, by least squares, once it is warm."""
        points = [(at / 60, size / MIB) for at, size in self.sizes[name]]
        points = [point for point in points if point[0] * 60 >= WARM * self.seconds]
        middle = sum(at for at, _ in points) / len(points)
        level = sum(size for _, size in points) / len(points)
        spread = sum((at - middle) ** 2 for at, _ in points)
        return sum((at - middle) * (size - level) for at, size in points) / spread

    def faults(self) -> list[str]:
        """What is not as it was promised."""
        wrong = [
            f"{name} grows by {self.slope(name):.2f} MiB a minute"
            for name in self.sizes
            if name != "Redis" and self.slope(name) > SLOPE  # Redis keeps what was taken
        ]
        if not self.busy:
            wrong.append("no publisher was told to wait")
        if self.recovered > RECOVERED_SECONDS:
            wrong.append(f"all was folded {self.recovered:.1f} s after the end")
        return wrong

    def lines(self) -> Iterator[str]:
        yield (
            f"{self.seconds / 60:.1f} minutes: {self.offered:,} messages offered, {self.taken:,} "
            f"taken, {self.folded:,} entries folded, {self.busy:,} publishes told Busy; all folded "
            f"{self.recovered:.1f} s after the end, every effect run {self.effects:.1f} s after it"
        )
        for name, points in self.sizes.items():
            sizes = [size / MIB for _, size in points]
            yield (
                f"{name}: {sizes[0]:.0f} MiB at first, {max(sizes):.0f} at most, {sizes[-1]:.0f} "
                f"at last, {self.slope(name):+.2f} MiB a minute once warm"
            )


class Overload:
    """One run on `server`."""

    def __init__(self, server: RedisServer, folder: Path, seconds: float) -> None:
        self._server, self._folder = server, folder
        self._rate = FIRST
        self._ends = False
        self._given: dict[str, tuple[str, int]] = {}  # of each session: incarnation, entries folded
        self.figures = Figures(seconds)

    async def run(self) -> Figures:
        gateway = Gateway(self._server.url, self._folder)
        await gateway.start()
        try:
            with _worker(self._server.url, self._folder) as worker:
                async with await Bus.connect(self._server.url, outbox_seconds=2.0) as bus:
                    await self._run(bus, gateway, worker)
        finally:
            gateway.stop()
        return self.figures

    async def _run(self, bus: Bus, gateway: Gateway, worker: int) -> None:
        figures = self.figures
        names = [f"talk-{k}" for k in range(SESSIONS)]
        processes = {
            "publishers": os.getpid(), "gateway": gateway.pid, "workers": worker,
            "Redis": self._server.pid,
        }  # fmt: skip
        followers = [
            asyncio.create_task(follow_events(gateway, _Deaf(f"follower of {name}", name)))
            for name in names[:2]
        ]
        publishing = [asyncio.create_task(self._publish(bus, name)) for name in names]
        began = before = time.monotonic()
        try:
            while time.monotonic() - began < figures.seconds:
                await asyncio.sleep(SAMPLE_SECONDS)
                new = await self._count_folded(bus, names)
                now = time.monotonic()
                if new:
                    self._rate = TIMES * new / (now - before)
                figures.folded, before = figures.folded + new, now
                for name, pid in processes.items():
                    figures.sizes.setdefault(name, []).append((now - began, _rss_of(pid)))
                for task in publishing:
                    if task.done():
                        task.result()
            self._ends = True
            await asyncio.gather(*publishing)
            await self._recover(bus, names)
        finally:
            await cancel_and_wait(*publishing, *followers)

    async def _publish(self, bus: Bus, session: str) -> None:
        """At the pace of the moment, and no slower where it is refused."""
        figures = self.figures
        for life in itertools.count():
            if life:
                await bus.remove(session)
            with suppress(SessionExists):
                await bus.open(session, SessionOpened(packs=newest_packs()))
            await self._limit(bus, session)
            taken, due = 0, time.monotonic()
            while taken < ANEW:
                if self._ends:
                    return
                part = [_draft(life, taken + k) for k in range(BATCH)]
                figures.offered += BATCH
                try:
                    await bus.publish(session, part)
                except Busy:
                    figures.busy += 1
                else:
                    figures.taken += BATCH
                    taken += BATCH
                due = max(due + BATCH * SESSIONS / self._rate, time.monotonic() - 1.0)
                await asyncio.sleep(max(0.0, due - time.monotonic()))

    async def _limit(self, bus: Bus, session: str) -> None:
        """Its backlog may be what is folded in some seconds, of all sessions together."""
        limit = max(2 * BATCH, int(self._rate / TIMES * BACKLOG_SECONDS / SESSIONS))
        with self._server.client() as client:
            client.hset(bus.keys.of(session).meta, "backlog", limit)

    async def _count_folded(self, bus: Bus, names: Sequence[str]) -> int:
        """Entries folded since it was last asked."""
        new = 0
        for info in await bus.sessions(0, SESSIONS):
            if info.session in names:
                incarnation, before = self._given.get(info.session, ("", 0))
                new += info.folded - (before if incarnation == info.incarnation else 0)
                self._given[info.session] = info.incarnation, info.folded
        return new

    async def _recover(self, bus: Bus, names: Sequence[str]) -> None:
        """Wait until everything is folded, and until nothing is due."""
        ended, figures = time.monotonic(), self.figures
        while time.monotonic() - ended < 120:
            infos = [await bus.info(name) for name in names]
            waited = time.monotonic() - ended
            if not figures.recovered and all(info.folded >= info.head for info in infos):
                figures.recovered = waited
            if all(info.settled for info in infos):
                figures.effects = waited
                return
            await asyncio.sleep(0.1)
        figures.recovered = figures.recovered or 120.0
        figures.effects = 120.0


class _Deaf(Heard):
    """A follower that keeps nothing of what it hears."""

    def __init__(self, name: str, session: str) -> None:
        super().__init__(name, session, _Nothing())


class _Nothing(list[Any]):
    def append(self, _: object) -> None:
        pass


def _draft(life: int, k: int) -> Draft:
    who = ("ana", "bo", "cy", "dee")[k % 4]
    text = f"Reading {life}.{k}: the gauge at the old pier stands at {k % 97} centimetres again."
    return Draft(f"{life}:{k}", Message(participant=who, content=text))


@contextmanager
def _worker(url: str, folder: Path) -> Iterator[int]:
    """`parley worker` on that server; its process id."""
    with (folder / "worker.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "parley", "worker"], cwd=ROOT, stdin=subprocess.DEVNULL,
            stdout=log, stderr=log,
            env={**os.environ, "PARLEY_REDIS": url, "PYTHONPATH": OWN_CODE},
        )  # fmt: skip
    try:
        yield process.pid
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _rss_of(pid: int) -> int:
    """Bytes of a process and of all below it; of this one alone, which has started the others."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        tasks = [] if pid == os.getpid() else list(Path(f"/proc/{pid}/task").iterdir())
        below = [child for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return 0  # it has ended
    return pages * resource.getpagesize() + sum(_rss_of(int(child)) for child in below)


async def overload(seconds: float) -> Figures:
    """A run on a server of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="parley-overload-") as folder,
        RedisServer("path", aof="everysec") as server,
    ):
        return await Overload(server, Path(folder), seconds).run()


def main() -> int:
    parser = argparse.ArgumentParser(prog="make overload", description=__doc__.partition("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=20.0)
    figures = asyncio.run(overload(60 * parser.parse_args().minutes))
    print(*figures.lines(), sep="\n", flush=True)
    wrong = figures.faults()
    print(*wrong, sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
