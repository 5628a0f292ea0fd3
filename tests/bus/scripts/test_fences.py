"""Commits on a log that is no longer the one that was folded.

Each rule is shown twice: that it refuses, and what happens where it is off.
"""

from __future__ import annotations

import pytest
import redis

from parley.bus import Bus, Scripts
from parley.bus.contract.errors import Fenced, SessionNotFound
from parley.bus.scripts.lua import NAMES, fences
from tests.support.sessions.talks import (
    claim_of,
    commit_of,
    everything,
    fact,
    folded,
    forget_after,
    message_draft,
    snapshot_of,
    swap_last,
    talk,
)


async def test_a_commit_on_another_entry_is_refused(bus: Bus, raw: redis.Redis) -> None:
    """The log lost its end and grew another one; nothing of the commit is kept."""
    await talk(bus, "a", 3)
    claim = await claim_of(bus, "a")
    records = await everything(bus, "a")
    swap_last(raw, "a", records[-1].seq, records[-1].n)
    with pytest.raises(Fenced, match="entry 4 is not the one"):
        await bus.commit(
            claim,
            commit_of(records[-1], "a", facts=[fact(4)], snapshot=snapshot_of(records[-1])),
            done=True,
        )
    assert (await bus.info("a")).folded == 0
    assert await bus.fact_rows("a") == []
    assert await bus.snapshot("a", "1") is None


async def test_without_the_identity_fence_ghosts_are_kept(redis_url: str, raw: redis.Redis) -> None:
    """What the rule is for: a fact of an entry that nobody published."""
    async with await Bus.connect(
        redis_url, outbox_seconds=0, scripts=Scripts({"commit.identity": ""})
    ) as bus:
        await talk(bus, "a", 3)
        claim = await claim_of(bus, "a")
        records = await everything(bus, "a")
        swap_last(raw, "a", records[-1].seq, records[-1].n)
        await bus.commit(claim, commit_of(records[-1], "a", facts=[fact(4)]), done=True)
        assert len(await bus.fact_rows("a")) == 1


async def test_a_commit_beyond_the_head_is_refused(bus: Bus, raw: redis.Redis) -> None:
    """The log went back and did not grow again yet."""
    await talk(bus, "a", 3)
    claim = await claim_of(bus, "a")
    records = await everything(bus, "a")
    forget_after(raw, "a", seq=3, n=2)
    with pytest.raises(Fenced):
        await bus.commit(claim, commit_of(records[-1], "a"), done=True)


async def test_a_commit_that_folded_a_set_aside_entry_is_refused(bus: Bus) -> None:
    """Its memory holds what every replay skips."""
    await talk(bus, "a", 3)
    claim = await claim_of(bus, "a")
    records = await everything(bus, "a")
    await bus.set_aside("a", 3, "poison")
    with pytest.raises(Fenced, match="set aside meanwhile"):
        await bus.commit(claim, commit_of(records[-1], "a"), done=True)
    assert await bus.commit(claim, commit_of(records[-1], "a", skips=1), done=False) == 4


async def test_without_the_skips_fence_the_poisoned_memory_stays(redis_url: str) -> None:
    """What the rule is for."""
    async with await Bus.connect(
        redis_url, outbox_seconds=0, scripts=Scripts({"commit.skips": ""})
    ) as bus:
        await talk(bus, "a", 3)
        claim = await claim_of(bus, "a")
        records = await everything(bus, "a")
        await bus.set_aside("a", 3, "poison")
        poisoned = commit_of(records[-1], "a", snapshot=snapshot_of(records[-1]))
        assert await bus.commit(claim, poisoned, done=True) == 4


async def test_only_skips_that_were_passed_have_to_be_honoured(bus: Bus) -> None:
    """A skip further on is none of this commit's business."""
    await talk(bus, "a", 5)
    claim = await claim_of(bus, "a")
    records = await everything(bus, "a")
    await bus.set_aside("a", 5, "poison")
    assert await bus.commit(claim, commit_of(records[2], "a"), done=False) == 3
    assert await bus.commit(claim, commit_of(records[5], "a", skips=1), done=True) == 6


async def test_counting_skips_seen_livelocks(redis_url: str) -> None:
    """The rule as it was first written: who folds entry by entry up to the poison
    honours none yet, is refused, and starts over for ever."""
    line = (
        "if select(2, string.gsub(meta[3], '%d+', '')) ~= tonumber(ARGV[7]) then "
        "return {'fenced', 'skips seen'} end"
    )
    async with await Bus.connect(
        redis_url, outbox_seconds=0, scripts=Scripts({"commit.skips": line})
    ) as bus:
        await talk(bus, "a", 5)
        claim = await claim_of(bus, "a")
        records = await everything(bus, "a")
        await bus.set_aside("a", 5, "poison")
        with pytest.raises(Fenced):
            await bus.commit(claim, commit_of(records[2], "a"), done=False)


async def test_a_commit_on_a_removed_session_says_so(bus: Bus) -> None:
    """There is nothing left to refold."""
    await talk(bus, "a", 1)
    claim = await claim_of(bus, "a")
    records = await everything(bus, "a")
    await bus.remove("a")
    with pytest.raises(SessionNotFound):
        await bus.commit(claim, commit_of(records[-1], "a"), done=True)


async def test_a_commit_on_a_session_opened_anew_is_refused(bus: Bus) -> None:
    """The same name, the same ids, but not the same entries."""
    await talk(bus, "a", 1)
    claim = await claim_of(bus, "a")
    records = await everything(bus, "a")
    await bus.remove("a")
    await bus.open("a", getattr(records[0], "entry"))  # noqa: B009 - a decoded entry is no model
    await bus.publish("a", [message_draft(1, content="another thought")])
    with pytest.raises(Fenced):
        await bus.commit(claim, commit_of(records[-1], "a"), done=True)


async def test_a_lost_suffix_is_folded_again(bus: Bus, raw: redis.Redis) -> None:
    """The log goes back below what was folded; the fold follows it down and up again."""
    await talk(bus, "a", 5)
    await folded(bus, "a")
    forget_after(raw, "a", seq=3, n=2)
    raw.hset("parley:{0}:s:a:meta", "folded", 3)
    await bus.publish("a", [message_draft(7), message_draft(8)])
    records = await everything(bus, "a")
    assert [record.id for record in records[-2:]] == ["m7", "m8"]
    claim = await claim_of(bus, "a")
    assert await bus.commit(claim, commit_of(records[-1], "a"), done=True) == 5


def test_every_fence_is_switched_off_by_some_name() -> None:
    """A rule that cannot be switched off cannot be shown to matter."""
    known = {f"{name}.{fence}" for name in NAMES for fence in fences(name)}
    assert known == {
        "commit.after", "commit.identity", "commit.incarnation", "commit.monotonic",
        "commit.progress", "commit.rearm", "commit.result", "commit.skips", "commit.snapshot",
        "drop.moot", "finish.incarnation", "finish.input", "open.gone", "publish.backlog",
        "publish.closed",
        "publish.conflict", "publish.duplicate", "publish.epoch", "publish.floor",
        "publish.incarnation", "publish.index", "publish.tip", "redact.incarnation", "remove.head",
        "set_aside.folded", "shed.kept", "take.affinity",
    }  # fmt: skip


def test_an_unknown_fence_is_refused() -> None:
    """So that a test that switches off nothing does not pass."""
    with pytest.raises(ValueError, match=r"commit\.identty"):
        Scripts({"commit.identty": ""})
