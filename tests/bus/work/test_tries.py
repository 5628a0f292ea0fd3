"""What counts as a death: a take that ended in no progress by anybody."""

from __future__ import annotations

import asyncio

import pytest

from parley.bus import Bus, Claim, Commit, Scripts
from parley.bus.contract.errors import Fenced
from tests.support.sessions.talks import everything, talk

SHORT_MS = 30


async def take(bus: Bus, owner: str) -> Claim:
    """A claim that is lost again at once."""
    taken = await bus.take("fold", owner, lease_ms=SHORT_MS)
    await asyncio.sleep(SHORT_MS / 1000 + 0.01)
    return taken.claims[0]


async def progress_by_the_one_before(bus: Bus) -> int:
    """Two takers outlive their leases; the first records progress; the third's tries."""
    await talk(bus, "a", 3)
    slow = await take(bus, "slow")
    await take(bus, "other")
    record = (await everything(bus, "a"))[1]
    await bus.commit(slow, Commit("a", record.seq, record.identity, 0), done=False)
    return (await take(bus, "third")).tries


async def test_progress_by_a_worker_that_lost_its_lease_counts(bus: Bus) -> None:
    """Entries that somebody got past kill nobody: the tries of the present taker start over."""
    assert await progress_by_the_one_before(bus) == 1


async def test_without_that_rule_slow_workers_look_like_dead_ones(redis_url: str) -> None:
    """Five slow takers that overtake each other, and a healthy entry would be set aside."""
    line = "elseif held and folded > before then"
    async with await Bus.connect(
        redis_url, outbox_seconds=0, scripts=Scripts({"commit.progress": line})
    ) as bus:
        assert await progress_by_the_one_before(bus) == 2


async def test_a_commit_after_what_was_never_recorded_is_refused(bus: Bus) -> None:
    """A commit that goes on from an entry beyond `folded` would leave a gap in the facts."""
    await talk(bus, "a", 3)
    claim = await take(bus, "folder")
    record = (await everything(bus, "a"))[-1]
    with pytest.raises(Fenced, match="entries up to 2 is lost"):
        await bus.commit(claim, Commit("a", record.seq, record.identity, 0, after=2), done=True)
    assert (await bus.info("a")).folded == 0
