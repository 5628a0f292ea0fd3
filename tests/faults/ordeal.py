"""Sessions published through everything that goes wrong, and what is true afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from parley.bus import Bus, Draft, Scripts
from parley.bus.contract.errors import BusError, Busy, SessionExists, Unavailable
from parley.bus.embedded.append_only_file import repair
from parley.bus.embedded.server_binary import Binary
from tests.faults.crew import Crew
from tests.faults.language import opened
from tests.faults.oracle import Expected, Verdict, judge
from tests.faults.proxy import LossyProxy
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.servers.servers import RedisServer

Published = TypeVar("Published")
BATCH = 20  # messages that one publish may carry


@dataclass(frozen=True, slots=True)
class Faults:
    """What goes wrong while `seconds` of publishing last. Times are spread evenly.

    `publishers`: how many clients take turns in a session; with more than one,
    what the log lost comes back in another order. `drops`: the share of replies
    that publishers lose. `cuts`: the server is killed, up to `cut_bytes` of its
    AOF are cut off, and it is started twice. `nuisances`: all clients are thrown
    out, scripts forgotten, the server paused. `without`: rules of the scripts
    that are switched off, to see that they matter.
    """

    seconds: float
    kill_every: float = 1.0
    freezes: int = 0
    redis_kills: int = 0
    cuts: int = 0
    cut_bytes: int = 20_000
    nuisances: int = 0
    drops: float = 0.0
    lease_ms: int = 2_000
    folders: int = 4  # worker processes on the fold lane
    runners: int = 2  # and on the effects lane
    publishers: int = 1
    without: Mapping[str, str] = field(default_factory=dict)
    planted: str = ""  # a bug of tests/faults/planted_bugs.py, in workers
    damaged: Sequence[str] = ()  # sessions of which nothing is promised
    delays: float = 0.0  # share of publishers' replies that come late
    versions: int = 1  # of the fold, among the workers of that lane
    model: str = ""  # address of the endpoint that words summaries; none: extracts
    waking: bool = False  # the janitor may have had to wake sessions


@dataclass(slots=True)
class Report:
    """What was done, and what the oracle says."""

    verdict: Verdict = field(default_factory=Verdict)
    messages: int = 0
    seconds: float = 0.0
    stuck: float = 0.0  # the longest time in which nothing of what was left came nearer its end
    kills: int = 0
    hits: int = 0  # kills of a worker that held work
    redelivered: int = 0  # claims that died with their worker, so that another had to take them
    freezes: int = 0
    drops: int = 0
    resent: int = 0  # drafts published again after an error
    redis_restarts: int = 0
    cut_off: list[int] = field(default_factory=list)  # bytes, by cut
    deaths: list[int] = field(default_factory=list)  # exit codes of workers that nobody killed
    drained: list[int] = field(default_factory=list)  # exit codes after SIGTERM


class Ordeal:
    """One run. `transcripts` are the drafts of each session, in order."""

    patience = PATIENCE  # seconds, for the next of what is still to do
    outbox_seconds = 30.0  # for which publishers keep what was acknowledged
    passing: tuple[type[BusError], ...] = (Unavailable, Busy)  # what a publisher tries again after

    def __init__(
        self,
        server: RedisServer,
        transcripts: Mapping[str, Sequence[Draft]],
        faults: Faults,
        folder: Path,
        seed: int = 0,
    ) -> None:
        self._server, self._faults, self._seed = server, faults, seed
        self._chance = random.Random(seed)
        self._folder = folder
        self._expected = {
            session: Expected(drafts, moved=faults.cuts > 0, ordered=faults.publishers == 1)
            for session, drafts in transcripts.items()
        }
        self._away = asyncio.Lock()  # held while the server is down on purpose
        self.proxy_url = ""  # where publishers find the server, once it runs
        self.report = Report(messages=sum(map(len, transcripts.values())))

    async def run(self) -> Report:
        faults, report = self._faults, self.report
        crew = Crew(
            self._server, self._folder, lease_ms=faults.lease_ms, folders=faults.folders,
            runners=faults.runners, without=faults.without, planted=faults.planted,
            versions=faults.versions, model=faults.model,
            seed=self._seed,
        )  # fmt: skip
        async with LossyProxy(self._server, faults.drops, self._seed, faults.delays) as proxy:
            self.proxy_url = proxy.url
            async with AsyncExitStack() as stack:
                buses = [
                    await stack.enter_async_context(
                        await Bus.connect(
                            proxy.url,
                            scripts=Scripts(faults.without),
                            outbox_seconds=self.outbox_seconds,
                        )
                    )
                    for _ in range(faults.publishers)
                ]
                with crew:
                    await wait_until(lambda: crew.up() == crew.size)
                    began = time.monotonic()
                    await self._suffer(buses, crew)
                    report.seconds = round(time.monotonic() - began, 1)
                    await self._settle()
                    report.drained = crew.drain()
            report.drops = proxy.dropped
        report.kills, report.freezes = len(crew.kills), len(crew.freezes)
        report.hits = sum(1 for kill in crew.kills if kill.sessions)
        report.redelivered = sum(len(kill.sessions) for kill in crew.kills + crew.freezes)
        report.deaths = crew.deaths
        with self._server.client() as client:
            report.verdict = judge(client, self._expected, faults.damaged, waking=faults.waking)
        return report

    async def _suffer(self, buses: Sequence[Bus], crew: Crew) -> None:
        """Publish everything, while faults happen until that is done."""
        faults = self._faults
        async with asyncio.TaskGroup() as tasks:
            misfortunes = [
                tasks.create_task(self._every(faults.kill_every, crew.kill_worker)),
                tasks.create_task(self._spread(faults.freezes, lambda: self._freeze(crew))),
                tasks.create_task(self._spread(faults.redis_kills, self._kill_redis)),
                tasks.create_task(self._spread(faults.cuts, lambda: self._cut(crew))),
                tasks.create_task(self._spread(faults.nuisances, self._annoy)),
            ]
            publishers = [
                tasks.create_task(self._publish(buses, session)) for session in self._expected
            ]
            await asyncio.wait(publishers)
            misfortunes[0].cancel()

    async def _every(self, seconds: float, happen: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(seconds)
            await self._while_up(happen)

    async def _spread(self, times: int, happen: Callable[[], Awaitable[None]]) -> None:
        for _ in range(times):
            await asyncio.sleep(self._faults.seconds / (times + 1) * self._chance.uniform(0.8, 1.1))
            await happen()

    async def _publish(self, buses: Sequence[Bus], session: str) -> None:
        """Publish one session at its pace, each part again until it is acknowledged."""
        expected = self._expected[session]
        rest, total = list(expected.drafts), len(expected.drafts)
        began = time.monotonic()
        with contextlib.suppress(SessionExists):  # the reply to the first try was lost
            await self._insist(lambda: buses[0].open(session, opened()))
        for bus in itertools.cycle(buses):
            if not rest:
                return
            due = self._seconds_of(session) * (total - len(rest)) / total
            await asyncio.sleep(max(0.0, due - (time.monotonic() - began)))
            part = rest[: self._part_of(session)]
            receipts = await self._insist(functools.partial(bus.publish, session, part))
            for draft, receipt in zip(part, receipts, strict=True):
                expected.receipts[draft.id] = receipt.seq
            del rest[: len(part)]

    def _seconds_of(self, session: str) -> float:
        """How long the publishing of `session` lasts."""
        return self._faults.seconds

    def _part_of(self, session: str) -> int:
        """How many messages of `session` the next publish carries."""
        return self._chance.randint(1, BATCH)

    async def _insist(self, publish: Callable[[], Awaitable[Published]]) -> Published:
        while True:
            try:
                return await publish()
            except self.passing:
                self.report.resent += 1
                await asyncio.sleep(0.1)

    async def _while_up(self, happen: Callable[[], Awaitable[None]]) -> None:
        async with self._away:
            await happen()

    async def _freeze(self, crew: Crew) -> None:
        async with crew.frozen(1):
            await asyncio.sleep(self._faults.lease_ms / 1000 + 0.5)

    async def _kill_redis(self) -> None:
        async with self._away:
            self._server.kill9()
            try:
                await asyncio.sleep(self._chance.uniform(0.0, 0.3))
            finally:
                self._start_again()

    async def _cut(self, crew: Crew) -> None:
        """Lose a random stretch of the AOF's end; publish a little; start again once more.

        Workers that had read what is lost sleep through all of it.
        """
        async with crew.frozen(2):
            async with self._away:
                self._server.kill9()
                size = self._server.aof_file().stat().st_size
                lost = self._chance.randrange(1, max(2, min(size, self._faults.cut_bytes)))
                self._server.cut_aof(size - lost)
                self.report.cut_off.append(lost)
                self._start_again()
            await asyncio.sleep(0.3)
            await self._kill_redis()
            await asyncio.sleep(1.0)  # what was lost is offered again, and folded by others

    def _start_again(self) -> None:
        server = self._server
        repair(server.dir, Binary(server.binary, "path", server.version))
        server.start()
        self.report.redis_restarts += 1

    async def _annoy(self) -> None:
        """What an operator or a failover does to every client at once."""
        async with self._away:
            with self._server.client() as client:
                client.script_flush()
                client.client_pause(self._chance.randrange(50, 400))
                client.client_kill_filter(_type="normal", skipme=True)

    async def _settle(self) -> None:
        """Wait until everything is folded and no effect is due, as long as that comes nearer."""
        least, nearer = None, time.monotonic()
        while (now := time.monotonic()) < nearer + self.patience:
            left = await asyncio.to_thread(self._left)
            self.report.stuck = max(self.report.stuck, now - nearer)
            if left == 0:
                return
            if least is None or left < least:
                least, nearer = left, now
            await asyncio.sleep(0.2)

    def _left(self) -> int:
        """What there is still to do: entries to fold, effects to run, ends to get back."""
        with self._server.client() as client:
            ask: Any = client.pipeline(transaction=False)
            for session, expected in self._expected.items():
                prefix = f"parley:{{0}}:s:{session}"
                ask.hmget(f"{prefix}:meta", "head", "folded", "status")
                # a log loses its end first, and gets it back in order
                ask.hexists(f"{prefix}:ids", expected.drafts[-1].id)
            ask.zcard("parley:{0}:due:effects")
            *rows, effects = ask.execute()
        unfolded: int = sum(int(head or 0) - int(folded or 0) for head, folded, _ in rows[::2])
        open_again: int = sum(
            expected.closed and row[2] != b"closed"
            for expected, row in zip(self._expected.values(), rows[::2], strict=True)
        )
        missing = sum(not there for there in rows[1::2])
        return unfolded + open_again + missing + int(effects)
