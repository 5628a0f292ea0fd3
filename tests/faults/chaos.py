"""Faults at random and combined, as long as one likes: `python -m tests.faults.chaos --minutes 6`.

A round is some ten seconds on a server of its own: publishers behind a proxy that drops
replies, workers, a gateway, followers over the bus and over HTTP, and the faults of a
plan that its seed gives. Afterwards an oracle compares what publishers and followers
were told with what Redis has. A round that fails is tried again with ever fewer faults;
what is printed last is the least that still failed, and how to see it again.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import redis
import structlog

from parley.bus import Bus, Draft
from parley.bus.contract.errors import BusError, Busy, SessionNotFound, Unavailable
from parley.bus.entries import Message
from parley.memory.state.memory import FOLD
from tests.faults.crew import Crew
from tests.faults.followers import Heard, follow_bus, follow_events, follow_socket
from tests.faults.gateway import Gateway
from tests.faults.language import opened
from tests.faults.oracle import Rows
from tests.faults.ordeal import BATCH, Faults, Ordeal, Report
from tests.support.servers.patience import cancel_and_wait
from tests.support.servers.servers import Aof, Flavour, RedisServer, real_flavours

SECONDS: Final = 10.0  # of publishing, in a round
SESSIONS: Final = 6
MESSAGES: Final = 120  # a session
LONG: Final = "talk-3"  # whose messages are three times as many, and come many at a time
LEASE_MS: Final = 3_000
LATEST: Final = 40.0  # seconds for the next step, where nothing is added and nothing falls
STRAYS: Final = ("stray-1", "stray-2", "stray-3")  # sessions that others write into, or damage
SET_BACK: Final = ("log_cut", "log_restored", "all_flushed")  # what undoes acknowledged writes
MINUTES: Final = 5.0  # that a round may last, however busy the machine
TRIES: Final = 12  # rounds to find the least plan that fails
SPEAKERS: Final = ("ana", "bo", "cy", "dee")
TALK: Final = (
    "I propose that we move the tide gauge to the new pier.",
    "+1",
    "The old pier floods twice a year.",
    "I oppose P1 because the cable does not reach.",
    "**Plan**\n\n1. Lay a cable.\n2. Move the gauge.\n3. Compare a month of readings.",
    "[DECISION] the gauge stays until spring",
    "I support P1.",
)


@dataclass(frozen=True, slots=True)
class Blow:
    """One fault, so many seconds after the first message; `dice` is the seed of its own chance."""

    at: float
    fault: str
    dice: int

    def __str__(self) -> str:
        return f"{self.at:.1f} s {self.fault}"


def plan_blows(seed: int, seconds: float = SECONDS, only: Sequence[str] = ()) -> tuple[Blow, ...]:
    """What falls on the round of that seed, in order; `only` of these kinds."""
    chance = random.Random(f"plan {seed}")
    kinds = only or tuple(Round.FAULTS)
    blows = [
        Blow(chance.uniform(0.05, 0.9) * seconds, chance.choice(kinds), chance.randrange(1 << 30))
        for _ in range(max(3, round(seconds * 0.7)))
    ]
    return tuple(sorted(blows, key=lambda blow: blow.at))


def talk_of(seed: int, session: int, count: int = MESSAGES) -> list[Draft]:
    """Messages that propose, vote and decide."""
    chance = random.Random(f"talk {seed} {session}")
    return [
        Draft(
            f"m{k}",
            Message(
                participant=chance.choice(SPEAKERS),
                content=f"{chance.choice(TALK)} ({session}.{k})",
            ),
        )
        for k in range(count)
    ]


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
    )  # fmt: skip

    patience = LATEST
    # the last until whoever opened the session has done so again
    passing: tuple[type[BusError], ...] = (Unavailable, Busy, SessionNotFound)

    def __init__(
        self, server: RedisServer, folder: Path, seed: int, blows: Sequence[Blow],
        *, seconds: float = SECONDS, without: Mapping[str, str] | None = None, planted: str = "",
    ) -> None:  # fmt: skip
        chance = random.Random(f"round {seed}")
        strays = any(blow.fault.startswith("session_") for blow in blows)
        falls = {blow.fault for blow in blows}
        moved = server.aof != "always" or not falls.isdisjoint(SET_BACK)
        faults = Faults(
            seconds=seconds, cuts=int(moved), drops=chance.choice((0.0, 0.02, 0.08)),
            lease_ms=LEASE_MS, folders=2, runners=1, publishers=chance.choice((1, 2)),
            without=without or {}, planted=planted, damaged=STRAYS if strays else (),
        )  # fmt: skip
        talks = {f"talk-{k}": talk_of(seed, k) for k in range(SESSIONS)}
        talks[LONG] = talk_of(seed, 3, 3 * MESSAGES)
        super().__init__(server, talks, faults, folder, seed)
        self._blows = blows
        self._gateway = Gateway(server.url, folder)
        self._restarting = asyncio.Lock()
        self._fallen: Counter[str] = Counter()
        self._level = 0.0

    async def play(self) -> Outcome:
        """The round, and what it came to. `report.verdict` has the findings."""
        heard = [
            Heard(f"{way} follower of {session}", session)
            for session in self._expected
            for way in ("bus", "event", "WebSocket")
        ]
        await self._gateway.start()
        following = [asyncio.create_task(self._follow(row)) for row in heard]
        try:
            report = await self.run()
            await self._await_followers(heard)
        finally:
            await cancel_and_wait(*following)
            with suppress(AssertionError):
                self._gateway.stop()
        with self._server.client() as client:
            for row in heard:
                report.verdict.findings += misled(client, row)
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
            for blow in self._blows:
                tasks.create_task(self._strike(blow, crew))
            for session in self._expected:
                tasks.create_task(self._publish(buses, session))

    async def _publish(self, buses: Sequence[Bus], session: str) -> None:
        """And close it, by the last of the publishers."""
        await super()._publish(buses, session)
        await self._insist(lambda: buses[-1].close(session, "all was said"))
        self._expected[session].closed = True

    async def _settle(self) -> None:
        began = time.monotonic()
        await super()._settle()
        self._level = time.monotonic() - began

    def _seconds_of(self, session: str) -> float:
        """One ends after the other, so that faults meet some closed and some open."""
        return self._faults.seconds * (int(session.rpartition("-")[2]) + 1) / SESSIONS

    def _batch_of(self, session: str) -> int:
        """One comes in long batches."""
        return 3 * MESSAGES if session == LONG else BATCH

    async def _strike(self, blow: Blow, crew: Crew) -> None:
        await asyncio.sleep(blow.at)
        chance = random.Random(blow.dice)
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
            "session_poisoned": lambda: self._while_up(lambda: self._poison(chance)),
            "session_damaged": lambda: self._while_up(lambda: self._damage(chance)),
            "session_trimmed": lambda: self._while_up(lambda: self._trim(chance)),
            "all_flushed": lambda: self._while_up(self._flush),
        }
        await strike[blow.fault]()
        self._fallen[blow.fault] += 1

    async def _restore(self, crew: Crew, chance: random.Random) -> None:
        """An older file, as a backup has it or a replica that was behind."""
        size = self._server.aof_file().stat().st_size
        await asyncio.sleep(chance.uniform(0.5, 2.0))
        async with crew.frozen(1), self._away:
            self._server.kill9()
            now = self._server.aof_file().stat().st_size
            self._server.cut_aof(min(size, now))
            self.report.cut_off.append(max(0, now - size))
            self._start_again()

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

    async def _poison(self, chance: random.Random) -> None:
        """An entry that nobody's library writes, behind the newest of a stray session."""
        prefix = f"parley:{{0}}:s:{chance.choice(STRAYS)}"
        fields = chance.choice((
            {"id": "x", "t": "soon", "entry": "{}"},
            {"id": "x", "t": "1", "entry": '{"kind": "message", "v": 1}'},
            {"nothing": "of all that"},
        ))  # fmt: skip
        with suppress(redis.RedisError), self._server.client() as client:
            ask: Any = client
            head = int(ask.hget(f"{prefix}:meta", "head"))
            ask.xadd(f"{prefix}:log", fields, id=f"{head + 1}-{head}")
            ask.hset(f"{prefix}:meta", "head", head + 1)

    async def _damage(self, chance: random.Random) -> None:
        """A key of a stray session is of another type."""
        key = chance.choice(("facts", "ids", f"memory:{FOLD}", "meta", "log"))
        name = f"parley:{{0}}:s:{chance.choice(STRAYS)}:{key}"
        with suppress(redis.RedisError), self._server.client() as client:
            client.delete(name)
            client.set(name, "not what it was")

    async def _trim(self, chance: random.Random) -> None:
        """The oldest entries of a stray session are gone."""
        with suppress(redis.RedisError), self._server.client() as client:
            client.xtrim(f"parley:{{0}}:s:{chance.choice(STRAYS)}:log", maxlen=2, approximate=False)

    async def _flush(self) -> None:
        """Nothing is left; every session is young enough that its publishers have all of it."""
        with suppress(redis.RedisError), self._server.client() as client:
            client.flushall()

    async def _await_followers(self, heard: Sequence[Heard]) -> None:
        """Until each is where its log ends, or one is not for too long."""
        deadline = time.monotonic() + LATEST
        while time.monotonic() < deadline:
            with self._server.client() as client:
                ask: Any = client
                heads = {
                    session: int(ask.hget(f"parley:{{0}}:s:{session}:meta", "head"))
                    for session in self._expected
                }
            if all(row.places and row.places[-1][0] == heads[row.session] for row in heard):
                return
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


async def play_round(
    seed: int, blows: Sequence[Blow], *, seconds: float = SECONDS, flavour: Flavour = "path",
    aof: Aof = "always", without: Mapping[str, str] | None = None, planted: str = "",
) -> Outcome:  # fmt: skip
    """One round on a server of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="parley-chaos-") as folder,
        RedisServer(flavour, aof=aof) as server,
    ):
        played = Round(
            server, Path(folder), seed, blows, seconds=seconds, without=without, planted=planted
        )
        async with asyncio.timeout(60 * MINUTES):
            return await played.play()


def findings_of(outcome: Outcome) -> list[str]:
    """Every broken promise; workers may not die but by our hand, nor blame the innocent."""
    report = outcome.report
    wrong = list(report.verdict.findings)
    if report.verdict.set_aside:
        wrong.append(f"{report.verdict.set_aside} entries of sound sessions were set aside")
    if report.deaths:
        wrong.append(f"workers died by themselves: exit codes {report.deaths}")
    return wrong


def line_of(seed: int, outcome: Outcome) -> str:
    report = outcome.report
    faults = ", ".join(f"{name} {count}" for name, count in sorted(outcome.faults.items()))
    return (
        f"seed {seed}: {report.messages} messages, {report.resent} sent again, {report.drops} "
        f"replies dropped, {outcome.resets} resets, folded {outcome.settled:.1f} s after the last "
        f"of them; {faults}"
    )


def least_plan(seed: int, blows: Sequence[Blow], **how: Any) -> tuple[Blow, ...]:
    """The plan without blows that it fails without, as far as `TRIES` rounds tell."""
    kept = tuple(blows)
    for blow in blows[:TRIES]:
        fewer = tuple(other for other in kept if other is not blow)
        if findings_of(asyncio.run(play_round(seed, fewer, **how))):
            kept = fewer
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__.partition("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=1, help="of the first round; then one more")
    parser.add_argument("--server", choices=real_flavours(), default=real_flavours()[0])
    parser.add_argument("--appendfsync", choices=("always", "everysec"), default="always")
    parser.add_argument("--only", nargs="+", choices=Round.FAULTS, default=())
    args = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    how: dict[str, Any] = {"flavour": args.server, "aof": args.appendfsync}
    until, seed, faults = time.monotonic() + 60 * args.minutes, args.seed, Counter[str]()
    messages = rounds = resets = 0
    longest = 0.0
    while time.monotonic() < until:
        blows = plan_blows(seed, only=args.only)
        try:
            outcome = asyncio.run(play_round(seed, blows, **how))
        except BaseException:
            print(f"seed {seed} broke off: {', '.join(map(str, blows))}", flush=True)
            raise
        print(line_of(seed, outcome), flush=True)
        if wrong := findings_of(outcome):
            print(*wrong, sep="\n", flush=True)
            print("The least that fails is looked for ...", flush=True)
            for blow in least_plan(seed, blows, **how):
                print(f"  {blow}")
            only = f" --only {' '.join(args.only)}" if args.only else ""
            print(
                f"again: make chaos ARGS='--seed {seed} --minutes .1 --server {args.server} "
                f"--appendfsync {args.appendfsync}{only}'"
            )
            return 1
        faults += outcome.faults
        messages, rounds, seed = messages + outcome.report.messages, rounds + 1, seed + 1
        resets, longest = resets + outcome.resets, max(longest, outcome.settled)
    total = ", ".join(f"{name} {count}" for name, count in sorted(faults.items()))
    print(
        f"{rounds} rounds, {messages} messages, {resets} resets, folded {longest:.1f} s after the "
        f"last fault at most; nothing lost or doubled, nobody misled: {total}"
    )
    return 0


if __name__ == "__main__":
    os.chdir(Path(__file__).parents[2])
    sys.exit(main())
