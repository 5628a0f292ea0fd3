"""Many sessions under load while the primaries of their Redis fall: `make test-cluster`.

    python -m tests.faults.cluster_load --sessions 500 --seconds 180 --rate 50 --away 60
    python -m tests.faults.cluster_load --sentinel --sessions 500

Six nodes of a cluster, or a primary and its replica under three Sentinels; four workers of two
processes each. A primary is killed and stays away, slots of a cluster migrate meanwhile, it comes
back as a replica, and once all is whole the next one falls. Afterwards an oracle compares what
publishers were told with what the nodes have. Exit status 1 where a promise was broken, a publisher
waited longer than a failover and ten seconds, or entries stay unfolded.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from typing import Any, Protocol

import anyio
import redis
from anyio import to_thread

from parley.bus import Bus
from parley.bus.contract.errors import Unavailable
from parley.bus.contract.keys import Keys
from tests.faults.oracle import ALONE, Expected, Verdict, judge
from tests.faults.test_cluster import KEYS, Publisher, is_at_work, spread, worker
from tests.faults.test_kills import talk
from tests.support.servers.clusters import ClusterServers, SentinelServers
from tests.support.servers.patience import wait_until

NODE_TIMEOUT_MS = 2000  # cluster-node-timeout, and down-after-milliseconds of Sentinels
SPARE_SECONDS = 10.0  # that a publisher may wait beyond a failover
DRAIN_SECONDS = 1200.0
ROUNDS = 2  # primaries that fall
SLOT_SECONDS = 10.0  # between two migrations while a primary is away


class TimedPublisher(Publisher):
    """Notes the longest time that one of its calls took."""

    longest = 0.0

    async def _persist(self, act: Any) -> Any:
        began = time.monotonic()
        try:
            return await super()._persist(act)
        finally:
            self.longest = max(self.longest, time.monotonic() - began)


async def speak_at_some_time(publisher: TimedPublisher, pause: float) -> None:
    await anyio.sleep(random.uniform(0.0, pause))
    await publisher.speak(pause)


class Setup(Protocol):
    """Servers whose primaries can fall."""

    keys: Keys
    url: str

    def names(self, count: int) -> Sequence[str]: ...

    def client(self) -> Any: ...

    async def topple(self) -> tuple[int, float]:
        """Kill a primary: its number, and the seconds until another had its place."""
        ...

    async def stay(self, victim: int, seconds: float) -> None:
        """Whatever else happens while it is away."""
        ...

    async def bring_back(self, victim: int) -> None: ...


class ClusterSetup:
    keys = KEYS

    def __init__(self, servers: ClusterServers) -> None:
        self._servers, self.url = servers, servers.urls
        self._slots = [redis.crc.key_slot(bucket.sessions.encode()) for bucket in KEYS.buckets]
        self.migrations = 0

    def names(self, count: int) -> Sequence[str]:
        return spread(count)

    def client(self) -> Any:
        return redis.RedisCluster.from_url(self._servers.url)

    async def topple(self) -> tuple[int, float]:
        victim = self._primaries()[0]
        slot = next(slot for slot in self._slots if self._servers.owner(slot) == victim)
        self._servers.nodes[victim].kill9()
        began = time.monotonic()
        await wait_until(lambda: self._owner(slot) not in (None, victim))
        return victim, time.monotonic() - began

    async def stay(self, victim: int, seconds: float) -> None:
        """Slots of sessions go from one living primary to another."""
        deadline = anyio.current_time() + seconds
        while anyio.current_time() < deadline - SLOT_SECONDS / 2:
            slot = self._slots[self.migrations % len(self._slots)]
            owner = self._servers.owner(slot)
            other = next(n for n in self._primaries() if n != owner)
            await to_thread.run_sync(partial(self._servers.migrate, slot, other, at_once=10))
            self.migrations += 1
            await anyio.sleep(SLOT_SECONDS)
        await anyio.sleep(max(0.0, deadline - anyio.current_time()))

    async def bring_back(self, victim: int) -> None:
        self._servers.nodes[victim].start()
        await wait_until(partial(_holds, self._servers.is_whole))

    def _owner(self, slot: int) -> int | None:
        try:
            return self._servers.owner(slot)
        except (AssertionError, redis.RedisError):
            return None

    def _primaries(self) -> list[int]:
        """Those that live and have sessions."""
        owners = {self._owner(slot) for slot in self._slots}
        return [n for n, node in enumerate(self._servers.nodes) if node._process and n in owners]


class SentinelSetup:
    keys = ALONE

    def __init__(self, servers: SentinelServers) -> None:
        self._servers, self.url = servers, servers.url
        self.migrations = 0

    def names(self, count: int) -> Sequence[str]:
        return [f"s{number}" for number in range(count)]

    def client(self) -> Any:
        return self._servers.nodes[self._servers.primary()].client()

    async def topple(self) -> tuple[int, float]:
        victim = self._servers.primary()
        self._servers.nodes[victim].kill9()
        began = time.monotonic()
        await wait_until(lambda: self._servers.primary() != victim)
        return victim, time.monotonic() - began

    async def stay(self, victim: int, seconds: float) -> None:
        await anyio.sleep(seconds)

    async def bring_back(self, victim: int) -> None:
        self._servers.nodes[victim].start()
        await wait_until(partial(_holds, partial(self._servers.is_followed_by, victim)))


def _holds(what: Any) -> bool:
    try:
        return bool(what())
    except redis.RedisError:
        return False


async def trouble(setup: Setup, away: float, failovers: list[float]) -> None:
    """One primary after the other falls and comes back."""
    for number in range(1, ROUNDS + 1):
        victim, seconds = await setup.topple()
        failovers.append(seconds)
        print(f"primary {victim} fell; another had its place after {seconds:.1f} s", flush=True)
        await setup.stay(victim, max(0.0, away - seconds))
        await setup.bring_back(victim)
        print(f"round {number}: all is whole again", flush=True)


def drain(client: Any, keys: Keys) -> float:
    """The seconds until nothing was due."""
    began, pause = time.monotonic(), 1.0
    due = [bucket.due(lane) for bucket in keys.buckets for lane in ("fold", "effects")]
    while any(client.zcard(key) for key in due):
        if time.monotonic() - began > DRAIN_SECONDS:
            break
        time.sleep(pause)
    return time.monotonic() - began


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Bus]:
    """A bus, once somebody is there to fold: a worker that finds no primary does not come up."""
    while True:
        try:
            bus = await Bus.connect(url)
            break
        except Unavailable:
            await anyio.sleep(0.1)
    async with bus:
        await wait_until(lambda: is_at_work(bus))
        yield bus


async def run(setup: ClusterSetup | SentinelSetup, given: argparse.Namespace) -> bool:
    """Whether every promise was kept."""
    pause = given.sessions / given.rate
    count, failovers = max(2, round(given.seconds / pause)), list[float]()
    with ExitStack() as stack:
        for _ in range(given.workers):  # of two lanes each
            stack.enter_context(worker(setup.url))
        async with connected(setup.url) as bus:
            publishers = [
                TimedPublisher(bus, name, talk(number, count))
                for number, name in enumerate(setup.names(given.sessions), 1)
            ]
            async with anyio.create_task_group() as tasks:
                for publisher in publishers:
                    tasks.start_soon(speak_at_some_time, publisher, pause)
                await wait_until(lambda: _acknowledged(publishers) >= given.rate * 5)
                tasks.start_soon(trouble, setup, given.away, failovers)
            healed = bus.healed
        longest = max(publisher.longest for publisher in publishers)
        expected = {each.session: each.expected for each in publishers}
        with setup.client() as client:
            drained = await to_thread.run_sync(drain, client, setup.keys)
            verdict = await to_thread.run_sync(lambda: judge(client, expected, keys=setup.keys))
    _report(verdict, expected, failovers, longest, drained)
    print(f"{healed} entries healed, {setup.migrations} slots migrated, {given.workers} workers")
    within = longest <= max(failovers) + SPARE_SECONDS and drained < DRAIN_SECONDS
    return within and not verdict.findings


def _acknowledged(publishers: Sequence[Publisher]) -> int:
    return sum(len(publisher.expected.receipts) for publisher in publishers)


def _report(
    verdict: Verdict, expected: dict[str, Expected], failovers: list[float], longest: float,
    drained: float,
) -> None:  # fmt: skip
    messages = sum(len(each.receipts) for each in expected.values())
    print(
        f"{len(expected)} sessions, {messages} messages acknowledged, {verdict.entries} entries, "
        f"{verdict.set_aside} set aside; node timeout {NODE_TIMEOUT_MS} ms, failovers after "
        f"{', '.join(f'{each:.1f}' for each in failovers)} s, longest wait of a publisher "
        f"{longest:.1f} s; folded {drained:.1f} s after the end; {len(verdict.findings)} findings"
    )
    for finding in verdict.findings[:20]:
        print(finding)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sentinel", action="store_true", help="under Sentinels, not a cluster")
    parser.add_argument("--sessions", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--rate", type=float, default=50.0, help="messages a second in all")
    parser.add_argument("--away", type=float, default=60.0, help="seconds that a primary is gone")
    parser.add_argument("--workers", type=int, default=4)
    given = parser.parse_args()
    if given.sentinel:
        with SentinelServers(down_ms=NODE_TIMEOUT_MS) as sentinels:
            kept = anyio.run(run, SentinelSetup(sentinels), given)
    else:
        with ClusterServers(3, 1, node_timeout_ms=NODE_TIMEOUT_MS) as cluster:
            kept = anyio.run(run, ClusterSetup(cluster), given)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
