"""Snapshots: a cache that is replaced, refused or ignored, never trusted blindly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest
import redis
import structlog

from parley.bus import Bus, Scripts, Snapshot
from parley.bus.contract.errors import SnapshotDamaged
from parley.bus.work.lanes import Lanes
from tests.support.sessions.talks import (
    claim_of,
    commit_of,
    everything,
    message_draft,
    snapshot_of,
    swap_last,
    talk,
)

MEMORY = "parley:{0}:s:a:memory:1"


async def commit_snapshots(bus: Bus, *places: int) -> Snapshot | None:
    """Commits snapshots of these seqs, in this order; the one that then stands."""
    claim = await claim_of(bus, "a")
    records = await everything(bus, "a")
    for seq in places:
        record = records[seq - 1]
        snapshot = snapshot_of(record, f'{{"upto":{seq}}}'.encode())
        await bus.commit(claim, commit_of(record, "a", snapshot=snapshot), done=False)
    return await bus.snapshot("a", "1")


async def test_a_snapshot_comes_back_as_it_was_committed(bus: Bus) -> None:
    """With everything a reader needs to judge it."""
    await talk(bus, "a", 3)
    records = await everything(bus, "a")
    snapshots = await commit_snapshots(bus, 3)
    assert snapshots == snapshot_of(records[2], b'{"upto":3}')


async def test_a_snapshot_never_goes_back(bus: Bus) -> None:
    """A slower worker's older one is passed over."""
    await talk(bus, "a", 4)
    snapshots = await commit_snapshots(bus, 4, 2)
    assert snapshots is not None
    assert snapshots.upto == 4


async def test_without_that_rule_tails_grow(redis_url: str) -> None:
    """What the rule is for."""
    scripts = Scripts({"commit.snapshot": "if true then"})
    async with await Bus.connect(redis_url, scripts=scripts) as bus:
        await talk(bus, "a", 4)
        snapshots = await commit_snapshots(bus, 4, 2)
        assert snapshots is not None
        assert snapshots.upto == 2


async def test_a_snapshot_of_a_lost_suffix_gives_way(bus: Bus, raw: redis.Redis) -> None:
    """Further on than any new one, it would otherwise stand until the log had passed it."""
    await talk(bus, "a", 4)
    await commit_snapshots(bus, 5)
    swap_last(raw, "a", 5, 4)
    claims = await bus.take("fold", "w", lease_ms=1)
    assert claims.claims == []
    records = await everything(bus, "a")
    raw.zadd("parley:{0}:due:fold", {"a": 0})
    snapshots = await commit_snapshots(bus, 3)
    assert snapshots is not None
    assert (snapshots.upto, snapshots.identity) == (3, records[2].identity)


async def store(bus: Bus, build: str, number: int = 0) -> None:
    """One more message in "a", and a snapshot up to it by `build`."""
    await bus.publish("a", [message_draft(number)])
    record = (await everything(bus, "a"))[-1]
    snapshot = replace(snapshot_of(record, f"by {build}".encode()), build=build)
    await bus.commit(await claim_of(bus, "a"), commit_of(record, "a", snapshot=snapshot), done=True)


async def places(bus: Bus, *builds: str) -> list[int | None]:
    """Up to which entry the snapshot by each of the builds goes."""
    found = [await bus.snapshot("a", build) for build in builds]
    assert all(each is None or each.data == f"by {each.build}".encode() for each in found)
    return [None if each is None else each.upto for each in found]


async def test_two_builds_do_not_overwrite_each_other(bus: Bus, raw: redis.Redis) -> None:
    """Old and new workers run side by side during an upgrade, and either may be ahead."""
    await talk(bus, "a", 1)
    for number, build in enumerate(("1-a", "1-b", "1-a", "1-b", "1-b", "1-a"), 2):
        await store(bus, build, number)
    assert await places(bus, "1-a", "1-b", "1-c") == [8, 7, None]
    await bus.remove("a")
    assert raw.keys("parley:{0}:s:a:memory:*") == []


async def test_the_two_builds_that_stored_last_keep_their_snapshots(
    bus: Bus, raw: redis.Redis
) -> None:
    """Releases that are gone leave nothing behind; a third build at work costs a cache only."""
    await talk(bus, "a", 1)
    kept = []
    for number, build in enumerate(("1-a", "1-b", "1-c", "1-b", "2-a", "1-c", "1-d"), 2):
        await store(bus, build, number)
        builds = cast("bytes", raw.hget("parley:{0}:s:a:meta", "builds")).decode()
        keys = cast("list[bytes]", raw.keys("parley:{0}:s:a:memory:*"))
        assert {key.rpartition(b":")[2].decode() for key in keys} == set(builds.split())
        kept.append(builds)
    assert kept == ["1-a", "1-a 1-b", "1-b 1-c", "1-c 1-b", "1-b 2-a", "2-a 1-c", "1-c 1-d"]
    assert await places(bus, "1-a", "1-b", "1-c", "1-d", "2-a") == [None, None, 8, 9, None]


@pytest.mark.parametrize(("rules", "left"), [({}, 6), ({"shed.kept": ""}, None)])
async def test_what_was_stored_meanwhile_is_not_dropped(
    rules: dict[str, str], left: int | None, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build stores one again after it was said to be the third; and without that rule."""
    shed = Lanes._shed

    async def late(lanes: Lanes, session: str, builds: Sequence[str]) -> None:
        monkeypatch.setattr(Lanes, "_shed", shed)
        assert builds == ["1-a"]
        await store(bus, "1-a", 5)
        await shed(lanes, session, builds)

    monkeypatch.setattr(Lanes, "_shed", late)
    async with await Bus.connect(redis_url, scripts=Scripts(rules)) as bus:
        await talk(bus, "a", 1)
        for number, build in enumerate(("1-a", "1-b", "1-c"), 2):
            await store(bus, build, number)
        assert await places(bus, "1-a", "1-b", "1-c") == [left, None, 5]


async def test_a_flipped_byte_is_noticed(bus: Bus, raw: redis.Redis) -> None:
    """The snapshot counts as absent and is reported; whoever verifies is told."""
    await talk(bus, "a", 2)
    await commit_snapshots(bus, 3)
    data = bytearray(cast("bytes", raw.hget(MEMORY, "bytes")))
    data[3] ^= 1
    raw.hset(MEMORY, "bytes", bytes(data))
    with structlog.testing.capture_logs() as logged:
        assert await bus.snapshot("a", "1") is None
    assert [line["event"] for line in logged] == ["snapshot_damaged"]
    with pytest.raises(SnapshotDamaged, match="'a'"):
        await bus.snapshot("a", "1", strict=True)


async def test_a_snapshot_is_of_the_entry_that_is_committed(bus: Bus) -> None:
    """The fences of the commit then cover it too."""
    await talk(bus, "a", 2)
    claim = await claim_of(bus, "a")
    records = await everything(bus, "a")
    with pytest.raises(ValueError, match="cannot carry a snapshot of 2"):
        await bus.commit(
            claim, commit_of(records[2], "a", snapshot=snapshot_of(records[1])), done=True
        )
