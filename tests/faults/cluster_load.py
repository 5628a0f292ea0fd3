"""Many sessions on a real cluster under load while its primaries fall: `make test-cluster`.

    python -m tests.faults.cluster_load --sessions 500 --seconds 180 --rate 50 --away 60

Six nodes, two workers of two processes each. A primary is killed and stays away, slots migrate
meanwhile, it comes back as a replica, and once the cluster is whole the next one falls. Afterwards
an oracle compares what publishers were told with what the nodes have. Exit status 1 where a promise
was broken, a publisher waited longer than a failover and ten seconds, or entries stay unfolded.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

import anyio
import redis
from anyio import to_thread

from parley.bus import Bus
from tests.faults.oracle import Expected, Verdict, judge
from tests.faults.test_cluster import KEYS, Publisher, spread, worker
from tests.faults.test_kills import talk
from tests.support.servers.clusters import ClusterServers
from tests.support.servers.patience import wait_until

NODE_TIMEOUT_MS = 2000
SPARE_SECONDS = 10.0  # that a publisher may wait beyond a failover
DRAIN_SECONDS = 1200.0


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


async def trouble(cluster: ClusterServers, away: float, failovers: list[float]) -> None:
    """One primary after the other falls, with a slot on the move while it is away."""
    for number in range(2):
        victim = next(n for n in range(len(cluster.nodes)) if _is_primary_of_sessions(cluster, n))
        slots = [slot for slot in _slots() if cluster.owner(slot) == victim]
        cluster.nodes[victim].kill9()
        began = time.monotonic()
        await wait_until(partial(_has_heir, cluster, slots[0], victim))
        failovers.append(time.monotonic() - began)
        print(f"primary {victim} fell; a replica took over after {failovers[-1]:.1f} s", flush=True)
        heir = cluster.owner(slots[0])
        rest = sorted(set(range(len(cluster.nodes))) - {victim, heir})
        other = next(n for n in rest if _is_primary_of_sessions(cluster, n))
        await to_thread.run_sync(partial(cluster.migrate, slots[0], other, at_once=10))
        print(f"slot {slots[0]} went from {heir} to {other}", flush=True)
        await anyio.sleep(max(0.0, away - (time.monotonic() - began)))
        cluster.nodes[victim].start()
        await wait_until(lambda: _is_whole(cluster))
        print(f"round {number + 1}: the cluster is whole again", flush=True)


def _has_heir(cluster: ClusterServers, slot: int, dead: int) -> bool:
    return _owner(cluster, slot) not in (None, dead)


def _slots() -> list[int]:
    return [redis.crc.key_slot(bucket.sessions.encode()) for bucket in KEYS.buckets]


def _owner(cluster: ClusterServers, slot: int) -> int | None:
    try:
        return cluster.owner(slot)
    except (AssertionError, redis.RedisError):
        return None


def _is_primary_of_sessions(cluster: ClusterServers, number: int) -> bool:
    if cluster.nodes[number]._process is None:
        return False
    return any(_owner(cluster, slot) == number for slot in _slots())


def _is_whole(cluster: ClusterServers) -> bool:
    try:
        return cluster.is_whole()
    except redis.RedisError:
        return False


def drain(client: Any) -> float:
    """The seconds until nothing was due."""
    began, pause = time.monotonic(), 1.0
    keys = [bucket.due(lane) for bucket in KEYS.buckets for lane in ("fold", "effects")]
    while any(client.zcard(key) for key in keys):
        if time.monotonic() - began > DRAIN_SECONDS:
            break
        time.sleep(pause)
    return time.monotonic() - began


async def run(sessions: int, seconds: float, rate: float, away: float) -> bool:
    """Whether every promise was kept."""
    pause = sessions / rate
    count, failovers = max(2, round(seconds / pause)), list[float]()
    with ExitStack() as stack:
        cluster = stack.enter_context(ClusterServers(3, 1, node_timeout_ms=NODE_TIMEOUT_MS))
        for _ in range(2):  # of two lanes each
            stack.enter_context(worker(cluster.urls))
        async with await Bus.connect(cluster.urls) as bus:
            publishers = [
                TimedPublisher(bus, name, talk(number, count))
                for number, name in enumerate(spread(sessions), 1)
            ]
            async with anyio.create_task_group() as tasks:
                for publisher in publishers:
                    tasks.start_soon(speak_at_some_time, publisher, pause)
                await wait_until(lambda: _acknowledged(publishers) >= rate * 5)
                tasks.start_soon(trouble, cluster, away, failovers)
        longest = max(publisher.longest for publisher in publishers)
        expected = {each.session: each.expected for each in publishers}
        with redis.RedisCluster.from_url(cluster.url) as client:
            drained = await to_thread.run_sync(drain, client)
            verdict = await to_thread.run_sync(lambda: judge(client, expected, keys=KEYS))
    _report(verdict, expected, failovers, longest, drained)
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
    parser.add_argument("--sessions", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--rate", type=float, default=50.0, help="messages a second in all")
    parser.add_argument("--away", type=float, default=60.0, help="seconds that a primary is gone")
    given = parser.parse_args()
    return 0 if anyio.run(run, given.sessions, given.seconds, given.rate, given.away) else 1


if __name__ == "__main__":
    sys.exit(main())
