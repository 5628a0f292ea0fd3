"""Sessions on a Redis Cluster and under Sentinels keep what single servers keep, whatever falls."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import anyio
import redis
from anyio import to_thread

from parley.bus import Bus, Draft
from parley.bus.client import CLUSTER_BUCKETS
from parley.bus.contract.errors import Unavailable
from parley.bus.contract.keys import Keys
from parley.bus.entries import Record
from tests.faults.language import opened
from tests.faults.oracle import ALONE, Expected, Verdict, judge
from tests.faults.strangers import Stranger
from tests.faults.test_kills import talk
from tests.support.processes.own_code import OWN_CODE
from tests.support.servers.clusters import (
    ClusterServers,
    SentinelServers,
    needs_cluster,
    wait_for,
)
from tests.support.servers.patience import PATIENCE, wait_until

pytestmark = needs_cluster

KEYS = Keys(CLUSTER_BUCKETS)
COUNT = 60  # messages of a session


@contextmanager
def worker(url: str) -> Iterator[None]:
    """A worker in processes of its own."""
    command = [sys.executable, "-m", "tests.support.processes.worker_process", "all", url]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": OWN_CODE},
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    try:
        yield
        assert process.poll() is None, "the worker ended by itself"
    finally:
        process.terminate()
        process.wait(PATIENCE)


class Publisher:
    """Says what it is given, one message after the other, and again until it is acknowledged."""

    def __init__(self, bus: Bus, session: str, drafts: Sequence[Draft]) -> None:
        self.bus, self.session = bus, session
        self.expected = Expected(drafts, moved=True)

    async def speak(self, pause: float) -> None:
        await self._persist(lambda: self.bus.open(self.session, opened()))
        for draft in self.expected.drafts:
            (receipt,) = await self._persist(lambda: self.bus.publish(self.session, [draft]))  # noqa: B023 - awaited here
            self.expected.receipts[draft.id] = receipt.seq
            await anyio.sleep(pause)

    async def _persist(self, act: Any) -> Any:
        with anyio.fail_after(PATIENCE):
            while True:
                try:
                    return await act()
                except Unavailable:
                    await anyio.sleep(0.1)


async def listen(bus: Bus, session: str, heard: list[int]) -> None:
    """Notes the number of each entry as it is heard."""
    while True:
        try:
            async with bus.subscribe(session, 0, facts=False) as subscription:
                async for item in subscription:
                    assert isinstance(item, Record)
                    heard.append(item.seq)
        except Unavailable:
            await anyio.sleep(0.1)


@asynccontextmanager
async def publishing(
    bus: Bus, sessions: Sequence[str], heard: list[int], pause: float = 0.05
) -> AsyncIterator[dict[str, Expected]]:
    """Publishers beside the body, and after it until all is said and heard."""
    publishers = [
        Publisher(bus, session, talk(number, COUNT)) for number, session in enumerate(sessions, 1)
    ]
    async with anyio.create_task_group() as tasks:
        async with anyio.create_task_group() as speakers:
            for publisher in publishers:
                speakers.start_soon(publisher.speak, pause)
            await wait_until(lambda: bool(publishers[0].expected.receipts))
            tasks.start_soon(listen, bus, sessions[0], heard)
            yield {publisher.session: publisher.expected for publisher in publishers}
        await wait_until(lambda: len(heard) >= COUNT + 1)
        tasks.cancel_scope.cancel()


def verdict_of(client: Any, expected: dict[str, Expected], keys: Keys) -> Verdict:
    """The verdict once all is folded and nothing is due."""
    verdict: list[Verdict] = []

    def is_done() -> bool:
        verdict[:] = [judge(client, expected, keys=keys)]
        return not verdict[0].findings

    try:
        wait_for(is_done, "something is broken")
    except AssertionError:
        return verdict[0]
    return verdict[0]


def spread(count: int) -> list[str]:
    """Names of sessions in different buckets, as many as there are, then anew."""
    names: dict[str, list[str]] = {}
    for number in range(40 * count):
        names.setdefault(KEYS.bucket(f"s{number}").prefix, []).append(f"s{number}")
    rounds = [row[k] for k in range(1 + count // len(names)) for row in names.values()]
    return rounds[:count]


async def test_sessions_live_on_while_slots_move_and_a_primary_falls() -> None:
    """One address is enough; nothing acknowledged is lost, and whoever listens hears all once."""
    sessions, heard = spread(CLUSTER_BUCKETS), list[int]()
    with ClusterServers(3, 1) as cluster, worker(cluster.url):
        async with await Bus.connect(cluster.url) as bus:
            assert len(bus.keys.buckets) == CLUSTER_BUCKETS
            assert sum(share.buckets for share in await bus.nodes()) == CLUSTER_BUCKETS
            await wait_until(lambda: is_at_work(bus))
            async with publishing(bus, sessions, heard) as expected:
                slot = redis.crc.key_slot(KEYS.of(sessions[0]).log.encode())
                owner = cluster.owner(slot)
                await to_thread.run_sync(cluster.migrate, slot, (owner + 1) % 3)
                assert cluster.owner(slot) == (owner + 1) % 3
                cluster.nodes[(owner + 1) % 3].kill9()
                await wait_until(lambda: cluster.owner(slot) >= 3)
                cluster.nodes[(owner + 1) % 3].start()
        with redis.RedisCluster.from_url(cluster.url) as client:
            verdict = await to_thread.run_sync(verdict_of, client, expected, KEYS)
    assert verdict.findings == []
    assert verdict.set_aside == 0
    assert heard == list(range(1, len(heard) + 1))  # summaries come behind the messages


async def is_at_work(bus: Bus) -> bool:
    """Whether both lanes of the worker are up: one that finds no primary to begin with dies."""
    return {lane for each in await bus.workers() for lane in each.lanes} >= {"fold", "effects"}


async def test_sessions_live_on_under_another_primary_that_sentinels_name() -> None:
    """The address names Sentinels; the primary is killed, its replica takes over."""
    sessions, heard = ["s1", "s2", "s3"], list[int]()
    with SentinelServers() as servers, worker(servers.url):
        async with (
            await Bus.connect(servers.url) as bus,
            publishing(bus, sessions, heard) as expected,
        ):
            await wait_until(lambda: is_at_work(bus))
            servers.nodes[0].kill9()
            await wait_until(lambda: servers.primary() == 1)
        with servers.nodes[1].client() as client:
            verdict = await to_thread.run_sync(verdict_of, client, expected, ALONE)
    assert verdict.findings == []
    assert heard == list(range(1, len(heard) + 1))  # summaries come behind the messages


async def test_strangers_follow_a_session_through_the_migration_of_its_slot() -> None:
    """A consumer group and a subscriber of redis-py alone hear each message once, in order."""
    with ClusterServers(3) as cluster:
        async with await Bus.connect(cluster.url) as bus:
            await bus.open("s1", opened())
            strangers = [Stranger(cluster.url, "s1") for _ in range(2)]
            drafts, slot = talk(1, 300), redis.crc.key_slot(KEYS.of("s1").log.encode())
            to, is_moved = (cluster.owner(slot) + 1) % 3, anyio.Event()

            def is_over() -> bool:
                return all(len(each.said) >= len(drafts) for each in strangers)

            async def move() -> None:
                await wait_until(lambda: len(strangers[0].said) > 20)
                await to_thread.run_sync(cluster.migrate, slot, to)
                is_moved.set()

            async with anyio.create_task_group() as tasks:
                for follow in (strangers[0].read_with_group, strangers[1].subscribe):
                    tasks.start_soon(to_thread.run_sync, follow, is_over)
                tasks.start_soon(move)
                for draft in drafts[:-50]:
                    await bus.publish("s1", [draft])
                await is_moved.wait()
                for draft in drafts[-50:]:
                    await bus.publish("s1", [draft])
            said = [
                (f"{record.seq}-{record.n}", getattr(record.entry, "content", ""))
                for record in await bus.read("s1", count=500)
                if record.entry.kind == "message"
            ]
    assert [each.said for each in strangers] == [said, said]
