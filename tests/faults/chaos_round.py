"""A round of chaos: publishers, workers, a gateway and followers, and the faults of a plan."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import redis

from parley.bus import Bus
from parley.bus.contract.errors import (
    BusError,
    Busy,
    SessionClosed,
    SessionNotFound,
    Unavailable,
)
from tests.faults import damages
from tests.faults.crew import Crew
from tests.faults.damages import STRAYS
from tests.faults.followers import (
    Guest,
    Heard,
    follow_bus,
    follow_events,
    follow_room,
    follow_socket,
)
from tests.faults.gateway import Gateway
from tests.faults.language import opened
from tests.faults.oracle import Rows, replay_of
from tests.faults.ordeal import Faults, Ordeal, Report
from tests.faults.relay import Relay
from tests.faults.replica import Replica
from tests.faults.strays import Acknowledged, judge_strays, publish_strays
from tests.faults.talk import MESSAGES, talk_of
from tests.support.servers.fake_openai import FAILURES, FakeOpenAI
from tests.support.servers.patience import cancel_and_wait, wait_until
from tests.support.servers.servers import RedisServer

SECONDS: Final = 10.0  # of publishing, in a round
SESSIONS: Final = 6
LONG: Final = "talk-3"  # whose messages are four times as many, and come many at a time
LONG_PART: Final = (201, 240)  # and how many: more than is folded without one snapshot
LEASE_MS: Final = 3_000
LATEST: Final = 25.0  # seconds for the next step, where nothing is added and nothing falls
# what undoes acknowledged writes
SET_BACK: Final = ("log_cut", "log_restored", "all_flushed", "replica_promoted", "closing_lost")
RELAY: Final = "talk-relay"  # published by a process of its own, and closed by another
RELAYED: Final = ("publisher_killed", "publisher_frozen", "closing_lost")
ENDING: Final = 20  # messages of it that a file of before its end has not
LATE: Final = (2.5, 4.0)  # seconds that a publisher sleeps whom the others wait for, two of them
ROOMS: Final = ("talk-1", LONG)  # sessions that somebody sits in
# a replica is sent everything at once, not in five seconds
OPTIONS: Final = {"repl-diskless-sync": "yes", "repl-diskless-sync-delay": "0"}
MINUTES: Final = 5.0  # that a round may last, however busy the machine


@dataclass(frozen=True, slots=True)
class Blow:
    """One fault, so many seconds after the first message; `dice` is the seed of its own chance."""

    at: float
    fault: str
    dice: int

    def __str__(self) -> str:
        return f"{self.at:.1f} s {self.fault}"


@dataclass(slots=True)
class Outcome:
    """What became of a round."""

    report: Report
    faults: Counter[str] = field(default_factory=Counter)
    resets: int = 0
    settled: float = 0.0  # seconds from the last acknowledgement and fault until all was folded


class Round(Ordeal):
    """An ordeal whose faults are those of a plan, with followers that are not to be misled."""

    FAULTS: Final = (
        "worker_killed", "worker_frozen", "redis_killed", "log_cut", "log_restored",
        "clients_cut_off", "memory_full", "gateway_killed", "gateway_frozen",
        "session_poisoned", "session_damaged", "session_trimmed", "all_flushed",
        "replica_promoted", "clock_stepped", "publisher_killed", "publisher_frozen",
        "model_failing", "closing_lost", "index_lost", "lease_damaged",
    )  # fmt: skip

    patience = LATEST
    outbox_seconds = 60 * MINUTES  # a round: a busy machine makes of ten seconds a minute
    # the last until whoever opened the session has done so again
    passing: tuple[type[BusError], ...] = (Unavailable, Busy, SessionNotFound)

    def __init__(
        self, server: RedisServer, folder: Path, seed: int, blows: Sequence[Blow],
        *, seconds: float = SECONDS, without: Mapping[str, str] | None = None, planted: str = "",
    ) -> None:  # fmt: skip
        chance = random.Random(f"round {seed}")
        self._model = FakeOpenAI()
        strays = any(blow.fault.startswith("session_") for blow in blows)
        falls = {blow.fault for blow in blows}
        moved = server.aof != "always" or not falls.isdisjoint(SET_BACK)
        faults = Faults(
            seconds=seconds, cuts=int(moved), drops=chance.choice((0.04, 0.08)),
            lease_ms=LEASE_MS, folders=2, runners=1, publishers=chance.choice((1, 2)),
            without=without or {}, planted=planted, damaged=STRAYS if strays else (),
            delays=chance.choice((0.0, 0.05)), versions=chance.choice((1, 2)),
            waking="clock_stepped" in falls, model=self._model.url,
        )  # fmt: skip
        talks = {f"talk-{k}": talk_of(seed, k) for k in range(SESSIONS)}
        talks[LONG] = talk_of(seed, 3, 4 * MESSAGES)
        if not falls.isdisjoint(RELAYED):
            talks[RELAY] = talk_of(seed, SESSIONS)
        super().__init__(server, talks, faults, folder, seed)
        self._blows = blows
        self._gateway = Gateway(server.url, folder)
        self._relay = Relay(
            folder, {"session": RELAY, "seed": seed, "place": SESSIONS, "count": MESSAGES,
                     "seconds": seconds, "without": dict(without or {})},
        )  # fmt: skip
        self._restarting = asyncio.Lock()
        self._file = asyncio.Lock()  # held by who may change it, or has measured it
        self._fallen: Counter[str] = Counter()
        self._level = 0.0
        self._before_end = 0  # bytes of the file when the session of the process was nearly over
        self._acknowledged: Acknowledged = {}  # of the strays
        self._refused: list[str] = []  # what a publisher was told and had not to be

    async def play(self) -> Outcome:
        """The round, and what it came to. `report.verdict` has the findings."""
        heard = [
            Heard(f"{way} follower of {session}", session)
            for session in self._expected
            for way in ("bus", "event", "WebSocket")
        ]
        guests = [Guest(session) for session in ROOMS]
        await self._gateway.start()
        self._model.__enter__()
        following = [asyncio.create_task(self._follow(row)) for row in heard]
        following += [asyncio.create_task(follow_room(self._server.url, guest)) for guest in guests]
        try:
            report = await self.run()
            await self._await_followers(heard, guests)
        finally:
            await cancel_and_wait(*following)
            self._relay.end()
            self._model.__exit__()
            with suppress(AssertionError):
                self._gateway.stop()
        report.verdict.findings += self._refused
        report.verdict.findings += await judge_strays(
            self._server.url, self._acknowledged, moved=self._faults.cuts > 0
        )
        with self._server.client() as client:
            for row in heard:
                report.verdict.findings += misled(client, row)
            for guest in guests:
                if guest.told() != replay_of(Rows(client, guest.session)):
                    report.verdict.findings.append(
                        f"{guest.session}: the memory of its room, at {guest.seq}, is no replay"
                    )
        return Outcome(report, self._fallen, sum(row.resets for row in heard), self._level)

    async def _follow(self, row: Heard) -> None:
        if row.name.startswith("bus"):
            await follow_bus(self._server.url, row)
        elif row.name.startswith("event"):
            await follow_events(self._gateway, row)
        else:
            await follow_socket(self._gateway, row)

    async def _suffer(self, buses: Sequence[Bus], crew: Crew) -> None:
        """Publish everything while the blows of the plan fall, each when it is due."""
        for stray in STRAYS:
            await self._insist(lambda stray=stray: buses[0].open(stray, opened()))  # type: ignore[misc]
            await self._insist(
                lambda stray=stray: buses[0].publish(stray, talk_of(0, 0)[:5])  # type: ignore[misc]
            )
        async with asyncio.TaskGroup() as tasks:
            if self._faults.damaged:
                chance = random.Random(f"strays {self._seed}")
                tasks.create_task(
                    publish_strays(buses, chance, self._faults.seconds, self._acknowledged)
                )
            for blow in self._blows:
                tasks.create_task(self._strike(blow, crew))
            for session in self._expected:
                if session != RELAY:
                    tasks.create_task(self._publish(buses, session))
            if RELAY in self._expected:
                tasks.create_task(self._have_relayed(buses))

    async def _have_relayed(self, buses: Sequence[Bus]) -> None:
        """Have a process publish its session, whatever becomes of it, and close that.

        Who opened it lives on: one that is gone altogether can be opened again by nobody else.
        """
        expected, complete = self._expected[RELAY], False
        await self._insist(lambda: buses[-1].open(RELAY, opened()))
        self._relay.start(self.proxy_url)
        while not complete:
            await asyncio.sleep(0.05)
            assert self._relay.is_up(), "a publisher died by itself"
            expected.receipts, complete = self._relay.receipts()
            if not self._before_end and len(expected.receipts) >= len(expected.drafts) - ENDING:
                self._before_end = self._server.aof_file().stat().st_size
        await self._close(buses, RELAY)

    async def _publish(self, buses: Sequence[Bus], session: str) -> None:
        await super()._publish(buses, session)
        await self._close(buses, session)

    async def _close(self, buses: Sequence[Bus], session: str) -> None:
        """By the last of the publishers, whoever published it."""
        try:
            await self._insist(lambda: buses[-1].close(session, "all was said"))
        except SessionClosed:
            self._refused.append(f"{session}: its closing, sent again, is refused as a second one")
        self._expected[session].closed = True

    async def _settle(self) -> None:
        began = time.monotonic()
        await super()._settle()
        self._level = time.monotonic() - began

    def _seconds_of(self, session: str) -> float:
        """One ends after the other, so that faults meet some closed and some open."""
        return self._faults.seconds * (int(session.rpartition("-")[2]) + 1) / SESSIONS

    def _part_of(self, session: str) -> int:
        """One comes in long batches."""
        return self._chance.randint(*LONG_PART) if session == LONG else super()._part_of(session)

    async def _strike(self, blow: Blow, crew: Crew) -> None:
        await asyncio.sleep(blow.at)
        chance, server = random.Random(blow.dice), self._server
        strike: dict[str, Callable[[], Awaitable[None]]] = {
            "worker_killed": lambda: self._while_up(crew.kill_worker),
            "worker_frozen": lambda: self._freeze(crew),
            "redis_killed": self._kill_redis,
            "log_cut": lambda: self._cut(crew),
            "log_restored": lambda: self._restore(crew, chance),
            "clients_cut_off": self._annoy,
            "memory_full": lambda: self._fill_memory(chance),
            "gateway_killed": self._kill_gateway,
            "gateway_frozen": lambda: self._freeze_gateway(chance),
            "session_poisoned": lambda: self._while_up(lambda: damages.poison(server, chance)),
            "session_damaged": lambda: self._while_up(lambda: damages.damage(server, chance)),
            "session_trimmed": lambda: self._while_up(lambda: damages.trim(server, chance)),
            "all_flushed": lambda: self._while_up(lambda: damages.flush(server)),
            "replica_promoted": lambda: self._promote(crew, chance),
            "clock_stepped": lambda: self._while_up(lambda: damages.step_clock(server, chance)),
            "publisher_killed": self._kill_publisher,
            "publisher_frozen": lambda: self._freeze_publisher(chance),
            "model_failing": lambda: self._fail_model(chance),
            "closing_lost": lambda: self._lose_closing(crew, chance),
            "index_lost": lambda: self._while_up(lambda: self._lose_index(chance)),
            "lease_damaged": lambda: self._while_up(
                lambda: damages.garble_lease(server, chance, chance.choice(list(self._expected)))
            ),
        }
        await strike[blow.fault]()
        self._fallen[blow.fault] += 1

    async def _lose_index(self, chance: random.Random) -> None:
        """Of a session in which somebody still speaks: whoever does has it put back."""
        spoken = [
            name for name, row in self._expected.items() if len(row.receipts) < len(row.drafts)
        ]
        if spoken:
            await damages.lose_index(self._server, chance, chance.choice(spoken))

    async def _restore(self, crew: Crew, chance: random.Random) -> None:
        """An older file, as a backup has it or a replica that was behind."""
        async with self._file:
            size = self._server.aof_file().stat().st_size
            await asyncio.sleep(chance.uniform(0.5, 2.0))
            async with crew.frozen(1):
                await self._go_back(size)
                await asyncio.sleep(chance.uniform(0.0, 1.0))  # it commits as soon, or too late

    async def _lose_closing(self, crew: Crew, chance: random.Random) -> None:
        """An older file, of before a session ended.

        Who published that sleeps while who closed it puts back what is lost, and so does a worker
        that was about to commit the end.
        """
        await wait_until(lambda: self._before_end)
        async with self._file, crew.frozen(1):
            await wait_until(lambda: self._expected[RELAY].closed)
            self._relay.signal(signal.SIGSTOP)
            await self._go_back(self._before_end)
            await asyncio.sleep(chance.uniform(*LATE))
            self._relay.signal(signal.SIGCONT)
            await asyncio.sleep(chance.uniform(0.0, 1.0))

    async def _go_back(self, size: int) -> None:
        """Start on the first `size` bytes of the file."""
        async with self._away:
            self._server.kill9()
            now = self._server.aof_file().stat().st_size
            self._server.cut_aof(min(size, now))
            self.report.cut_off.append(max(0, now - size))
            self._start_again()

    async def _promote(self, crew: Crew, chance: random.Random) -> None:
        """A replica stands in for its primary, and has not heard the last of it."""
        async with self._file, Replica(self._server) as replica:
            await replica.fall_behind()
            await asyncio.sleep(chance.uniform(0.2, 1.5))
            async with crew.frozen(1), self._away:
                self.report.cut_off.append(replica.promote())

    async def _fill_memory(self, chance: random.Random) -> None:
        """Redis refuses every write for a while."""
        for limit, seconds in (("1mb", chance.uniform(0.2, 1.5)), ("0", 0.0)):
            with suppress(redis.ConnectionError), self._server.client() as client:
                client.config_set("maxmemory", limit)
            await asyncio.sleep(seconds)

    async def _kill_gateway(self) -> None:
        async with self._restarting:
            self._gateway.kill()
            async with self._away:  # it needs Redis to begin
                await self._gateway.start()

    async def _freeze_gateway(self, chance: random.Random) -> None:
        async with self._restarting:
            self._gateway.signal(signal.SIGSTOP)
            await asyncio.sleep(chance.uniform(0.2, 1.5))
            self._gateway.signal(signal.SIGCONT)

    async def _kill_publisher(self) -> None:
        """And with it what it would have put back; another one publishes all of it again.

        Unless it is done: who comes after a closing can put nothing back before it.
        """
        self._relay.signal(signal.SIGSTOP)
        if self._relay.receipts()[1]:
            self._relay.signal(signal.SIGCONT)
        else:
            self._relay.end()
            self._relay.start(self.proxy_url)

    async def _freeze_publisher(self, chance: random.Random) -> None:
        self._relay.signal(signal.SIGSTOP)
        await asyncio.sleep(chance.uniform(0.2, LEASE_MS / 1000))
        self._relay.signal(signal.SIGCONT)

    async def _fail_model(self, chance: random.Random) -> None:
        """The endpoint refuses, breaks off, stalls, or answers with what is no answer."""
        self._model.fail(chance.choice(FAILURES))
        await asyncio.sleep(chance.uniform(0.2, 3.0))
        self._model.recover()

    async def _await_followers(self, heard: Sequence[Heard], guests: Sequence[Guest]) -> None:
        """Until each is where its log ends, or none comes nearer for too long."""
        least, deadline = 1 << 60, time.monotonic() + LATEST
        while time.monotonic() < deadline:
            with self._server.client() as client:
                ask: Any = client
                heads = {
                    session: int(ask.hget(f"parley:{{0}}:s:{session}:meta", "head"))
                    for session in self._expected
                }
            left = sum(
                abs(heads[row.session] - (row.places[-1][0] if row.places else 0)) for row in heard
            ) + sum(abs(heads[guest.session] - guest.seq) for guest in guests)
            if not left:
                return
            if left < least:
                least, deadline = left, time.monotonic() + LATEST
            await asyncio.sleep(0.1)


def misled(client: redis.Redis, heard: Heard) -> list[str]:
    """What is wrong with what a follower heard since it was last told to begin anew."""
    log = [(record.seq, record.id) for record in Rows(client, heard.session).records]
    if heard.places == log:
        return []
    same = next(
        (k for k, pair in enumerate(zip(heard.places, log, strict=False)) if pair[0] != pair[1]),
        min(len(heard.places), len(log)),
    )
    there = heard.places[same : same + 2], log[same : same + 2]
    return [
        f"{heard.session}: the {heard.name} heard {len(heard.places)} entries of {len(log)}, and "
        f"differs at place {same}: {there[0]}, not {there[1]}"
    ]
