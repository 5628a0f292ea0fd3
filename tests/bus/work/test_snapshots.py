"""Snapshots: a cache that is replaced, refused or ignored, never trusted blindly."""

from __future__ import annotations

from typing import cast

import pytest
import redis
import structlog

from parley.bus import Bus, Scripts, Snapshot
from parley.bus.contract.errors import SnapshotDamaged
from tests.support.sessions.talks import (
    claim_of,
    commit_of,
    everything,
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


async def test_versions_of_the_fold_do_not_overwrite_each_other(bus: Bus) -> None:
    """Old and new workers run side by side during an upgrade."""
    await talk(bus, "a", 2)
    await commit_snapshots(bus, 3)
    assert await bus.snapshot("a", "2") is None
    await bus.remove("a")
    assert await bus.snapshot("a", "1") is None


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
