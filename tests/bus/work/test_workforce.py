"""Workers on the list, and the janitor."""

from __future__ import annotations

import os

import orjson
import pytest
import redis

from parley.bus import Bus
from parley.bus.work import workforce
from tests.support.servers.patience import wait_until
from tests.support.sessions.talks import talk


async def test_a_worker_is_listed_with_what_it_said(bus: Bus) -> None:
    """Its own numbers beside its process; the newest beat counts."""
    await bus.beat("w2", {"lanes": ["fold"], "folded": 1})
    await bus.beat("w2", {"lanes": ["fold"], "folded": 7})
    await bus.beat("w1", {"lanes": ["effects"]})
    first, second = await bus.workers()
    assert (first.owner, second.owner) == ("w1", "w2")
    assert (second.pid, second.lanes, second.stats["folded"]) == (os.getpid(), ("fold",), 7)
    assert 0 <= second.age_ms < 10_000


async def test_a_worker_that_ended_is_off_the_list(bus: Bus, raw: redis.Redis) -> None:
    """At once when it says farewell, after an hour when it does not."""
    await bus.beat("w1", {})
    await bus.farewell("w1")
    row = {"pid": 1, "host": "h", "beat_ms": 1}
    raw.hset("parley:workers", "w2", orjson.dumps(row))
    assert await bus.workers() == []
    await bus.janitor()
    assert raw.hlen("parley:workers") == 0


async def test_the_janitor_finds_what_sleeps(bus: Bus, raw: redis.Redis) -> None:
    """Law 16: head > folded implies due. What it had to repair is counted for good."""
    for k in range(3):
        await talk(bus, f"s{k}", 2)
    assert await bus.janitor() == 0
    raw.zrem("parley:{0}:due:fold", "s1", "s2")
    assert await bus.janitor() == 2
    assert await bus.janitor() == 0
    assert await bus.repaired_total() == 2
    taken = await bus.take("fold", "w", lease_ms=1000)
    assert {claim.member for claim in taken.claims} == {"s0", "s1", "s2"}


async def test_the_janitor_goes_round_where_there_are_many(
    redis_url: str, raw: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call looks at so many sessions and the next goes on there, over all buckets."""
    monkeypatch.setattr(workforce, "LOOKED_AT", 4)
    monkeypatch.setattr(workforce, "_PAGE", 2)
    raw.hset("parley:meta", "buckets", 3)
    async with await Bus.connect(redis_url) as bus:
        for k in range(10):
            await talk(bus, f"s{k}", 2)
        raw.delete(*(bucket.due("fold") for bucket in bus.keys.buckets))
        repaired = [await bus.janitor() for _ in range(6)]
        assert sum(repaired) == 10
        assert max(repaired) <= 5
        assert await bus.janitor() == 0


async def test_the_janitor_leaves_claimed_work_alone(bus: Bus) -> None:
    """A lease is a due time in the future."""
    await talk(bus, "a", 2)
    await bus.take("fold", "w", lease_ms=60_000)
    assert await bus.janitor() == 0
    assert (await bus.take("fold", "w", lease_ms=60_000)).claims == []


async def test_what_nobody_takes_grows_old(bus: Bus) -> None:
    """The runbook's alarm: work that could be taken and is not. Claimed work does not wait."""
    assert await bus.oldest_due_ms("fold") == 0
    await talk(bus, "a", 2)
    await wait_until(lambda: older_than(bus, 20))
    await bus.take("fold", "w", lease_ms=60_000)
    assert await bus.oldest_due_ms("fold") == 0


async def test_what_is_due_is_counted_in_hand_or_not(bus: Bus) -> None:
    """Over all buckets, and for the fold until nothing is left to do."""
    assert await bus.due_count("fold") == 0
    await talk(bus, "a", 2)
    await talk(bus, "b", 1)
    await bus.take("fold", "w", lease_ms=60_000)
    assert await bus.due_count("fold") == 2
    assert await bus.due_count("effects") == 0


async def older_than(bus: Bus, milliseconds: int) -> bool:
    return await bus.oldest_due_ms("fold") > milliseconds
