"""Taking, committing, finishing, and giving back."""

from __future__ import annotations

import asyncio
import itertools

import pytest
import redis

from parley.bus import Bus, Claim, Draft, FactRecord, Scripts
from parley.bus.contract.errors import Fenced, InvalidEntry, SessionNotFound
from parley.bus.entries import SummaryMade
from tests.support.servers.patience import wait_until
from tests.support.sessions.talks import (
    LEASE_MS,
    claim_of,
    commit_of,
    everything,
    fact,
    folded,
    message_draft,
    rows,
    summary,
    swap_last,
    talk,
    without,
)

DUE = "parley:{0}:due:fold"


async def test_the_oldest_due_session_is_taken_first(bus: Bus, raw: redis.Redis) -> None:
    """And no more than asked for; `next_ms` says that more wait."""
    for k, name in enumerate("cab"):
        await talk(bus, name, 1)
        raw.zadd(DUE, {name: 1000 + k})
    taken = await bus.take("fold", "w", count=2, lease_ms=LEASE_MS)
    assert [claim.member for claim in taken.claims] == ["c", "a"]
    assert taken.next_ms == 0


async def test_what_is_taken_is_nobody_elses_until_its_lease_ends(bus: Bus) -> None:
    """`next_ms` tells how long that is."""
    await talk(bus, "a", 1)
    claim = await claim_of(bus, "a", "one")
    taken = await bus.take("fold", "two", lease_ms=LEASE_MS)
    assert taken.claims == []
    assert taken.next_ms is not None
    assert 0 < taken.next_ms <= LEASE_MS
    assert await bus.renew(claim, 150)

    async def is_free() -> bool:
        return bool((await bus.take("fold", "two", lease_ms=LEASE_MS)).claims)

    await wait_until(is_free)


async def test_nothing_due_has_no_next(bus: Bus) -> None:
    """An idle worker may sleep until a hint."""
    taken = await bus.take("fold", "w", lease_ms=LEASE_MS)
    assert (taken.claims, taken.next_ms) == ([], None)


async def test_the_last_owner_has_a_head_start(bus: Bus, raw: redis.Redis) -> None:
    """Its copy is warm; after 100 ms anyone may take the session."""
    names = itertools.count()

    async def was_in_time() -> bool:
        """A stranger came within the head start, which is short where the machine is busy."""
        name = f"s{next(names)}"
        await talk(bus, name, 1)
        await folded(bus, name)  # by w
        began = microseconds(raw)
        await talk(bus, name, 1, first=2)
        other = await bus.take("fold", "other", lease_ms=LEASE_MS)
        if microseconds(raw) - began >= 100_000:
            await bus.remove(name)
            return False
        assert other.claims == []
        assert other.next_ms is not None
        assert 0 < other.next_ms <= 100
        assert (await bus.take("fold", "w", lease_ms=LEASE_MS)).claims[0].member == name
        return True

    await wait_until(was_in_time)


async def test_after_the_head_start_anyone_takes_it(bus: Bus) -> None:
    """An owner that is gone delays its session by no more than that."""
    await talk(bus, "a", 1)
    await folded(bus, "a")
    await talk(bus, "a", 1, first=2)

    async def taken() -> bool:
        return bool((await bus.take("fold", "other", lease_ms=LEASE_MS)).claims)

    await wait_until(taken)


async def test_without_affinity_a_stranger_takes_it_at_once(redis_url: str) -> None:
    """What the rule is for: two workers that steal fold everything twice."""
    async with await Bus.connect(
        redis_url, outbox_seconds=0, scripts=Scripts({"take.affinity": "local early"})
    ) as bus:
        await talk(bus, "a", 1)
        await folded(bus, "a")
        await talk(bus, "a", 1, first=2)
        assert (await bus.take("fold", "other", lease_ms=LEASE_MS)).claims


async def test_a_commit_advances_folded_and_frees_the_session(bus: Bus) -> None:
    """Law 16, from both sides: due while head > folded, and not after."""
    await talk(bus, "a", 3)
    assert (await bus.info("a")).due["fold"] == 1
    records = await folded(bus, "a")
    info = await bus.info("a")
    assert (info.folded, info.due["fold"]) == (records[-1].seq, 0)
    assert info.settled


async def test_entries_that_came_meanwhile_keep_the_session_due(bus: Bus) -> None:
    """Law 16: they were published while it was claimed, and no wake-up is lost."""
    await talk(bus, "a", 1)
    claim = await claim_of(bus, "a")
    records = await everything(bus, "a")
    await bus.publish("a", [message_draft(2)])
    await bus.commit(claim, commit_of(records[-1], "a"), done=True)
    assert (await claim_of(bus, "a")).tries == 0


async def test_without_rearming_such_a_session_sleeps(redis_url: str) -> None:
    """What the rule is for; the janitor finds it."""
    async with await Bus.connect(
        redis_url, outbox_seconds=0, scripts=Scripts({"commit.rearm": "if false then"})
    ) as bus:
        await talk(bus, "a", 1)
        claim = await claim_of(bus, "a")
        records = await everything(bus, "a")
        await bus.publish("a", [message_draft(2)])
        await bus.commit(claim, commit_of(records[-1], "a"), done=True)
        assert (await bus.take("fold", "w", lease_ms=LEASE_MS)).claims == []
        assert await bus.janitor() == 1
        assert await bus.repaired_total() == 1
        assert (await bus.take("fold", "w", lease_ms=LEASE_MS)).claims


async def test_a_clock_that_went_back_leaves_nothing_asleep(bus: Bus) -> None:
    """What is due later than any lease lasts is made due, counted, and due once."""
    await talk(bus, "a", 1)
    connections, bucket = bus._connections, bus.keys.bucket("a")
    seconds, _ = await connections.command("TIME")
    hour = (int(seconds) + 3_600) * 1000
    await connections.command("ZADD", bucket.due("fold"), hour, "a")
    await connections.command("ZADD", bucket.due("effects"), hour, "a summary:0:1:6")
    assert (await bus.take("fold", "w", lease_ms=LEASE_MS)).claims == []
    assert await bus.janitor() == 2
    assert await bus.repaired_total() == 2
    for lane in ("fold", "effects"):
        assert len((await bus.take(lane, "w", lease_ms=LEASE_MS)).claims) == 1
    assert await bus.janitor() == 0


async def test_a_commit_that_is_not_done_keeps_the_claim(bus: Bus) -> None:
    """Batch after batch under one lease."""
    await talk(bus, "a", 4)
    claim = await claim_of(bus, "a")
    records = await everything(bus, "a")
    assert await bus.commit(claim, commit_of(records[2], "a"), done=False) == 3
    assert await bus.renew(claim, LEASE_MS)
    assert await bus.commit(claim, commit_of(records[4], "a"), done=True) == 5


async def test_folded_never_goes_back(bus: Bus) -> None:
    """A slower worker commits less, later."""
    await talk(bus, "a", 3)
    claim = await claim_of(bus, "a")
    records = await everything(bus, "a")
    await bus.commit(claim, commit_of(records[3], "a"), done=False)
    assert await bus.commit(claim, commit_of(records[1], "a"), done=False) == 4


async def test_without_that_rule_it_goes_back(redis_url: str) -> None:
    """And facts that were told would be told again."""
    async with await without(redis_url, "commit.monotonic", "local folded = to") as bus:
        await talk(bus, "a", 3)
        claim = await claim_of(bus, "a")
        records = await everything(bus, "a")
        await bus.commit(claim, commit_of(records[3], "a"), done=False)
        assert await bus.commit(claim, commit_of(records[1], "a"), done=False) == 2


async def test_a_worker_that_lost_its_lease_commits_and_frees_nothing(bus: Bus) -> None:
    """What it folded is true all the same; the session stays the other's."""
    await talk(bus, "a", 2)
    late = await claim_of(bus, "a", "late", lease_ms=1)

    async def other() -> bool:
        taken = await bus.take("fold", "other", lease_ms=LEASE_MS)
        claims.extend(taken.claims)
        return bool(taken.claims)

    claims: list[Claim] = []
    await wait_until(other)
    records = await everything(bus, "a")
    assert not await bus.renew(late, LEASE_MS)
    assert not await bus.release(late)
    assert await bus.commit(late, commit_of(records[-1], "a"), done=True) == 3
    assert (await bus.info("a")).due["fold"] == 1
    assert (await bus.take("fold", "third", lease_ms=LEASE_MS)).claims == []


async def test_tries_count_deaths_without_progress_alone(bus: Bus) -> None:
    """Not releases, not failures that were handed back, and progress forgives all."""

    async def take_again() -> int:
        tries: list[int] = []

        async def taken() -> bool:
            claims = (await bus.take("fold", "w", lease_ms=1)).claims
            tries.extend(claim.tries for claim in claims)
            return bool(claims)

        await wait_until(taken)
        return tries[0]

    await talk(bus, "a", 3)
    assert [await take_again() for _ in range(4)] == [0, 1, 2, 3]
    claim = await _after_lease(bus)
    assert claim.tries == 4
    await bus.release(claim)
    claim = await claim_of(bus, "a")
    assert claim.tries == 4
    await bus.fail(claim, 0)
    claim = await claim_of(bus, "a", lease_ms=1)
    assert claim.tries == 4
    records = await everything(bus, "a")
    await bus.commit(claim, commit_of(records[1], "a"), done=False)
    assert (await _after_lease(bus)).tries == 1  # this one died after its progress


async def test_a_failure_delays_its_session_alone(bus: Bus) -> None:
    """Others go on at once."""
    await talk(bus, "a", 1)
    await talk(bus, "b", 1)
    taken = await bus.take("fold", "w", lease_ms=LEASE_MS)
    for claim in taken.claims:
        await (bus.fail(claim, 50_000) if claim.member == "a" else bus.release(claim))
    again = await bus.take("fold", "w", lease_ms=LEASE_MS)
    assert [claim.member for claim in again.claims] == ["b"]
    assert again.next_ms is not None
    assert 40_000 < again.next_ms <= 50_000


async def test_facts_are_told_once_and_in_order(bus: Bus) -> None:
    """Two workers that folded the same entries tell one set of facts."""
    await talk(bus, "a", 4)
    claim = await claim_of(bus, "a")
    records = await everything(bus, "a")
    await bus.commit(
        claim, commit_of(records[2], "a", facts=[fact(2), fact(2, 1), fact(3)]), done=False
    )
    late = commit_of(records[4], "a", facts=[fact(2), fact(2, 1), fact(3), fact(5)])
    await bus.commit(claim, late, done=False)
    await bus.commit(claim, late, done=True)
    rows = await bus.fact_rows("a")
    assert [(row.seq, row.k) for row in rows] == [(2, 0), (2, 1), (3, 0), (5, 0)]
    assert rows[0] == fact(2)
    assert await bus.fact_rows("a", (2, 1), count=1) == [fact(3)]


async def test_effects_fall_due_once(bus: Bus) -> None:
    """Neither a second commit nor one after the result adds it again."""
    await talk(bus, "a", 3)
    records = await folded(bus, "a", effects=[1])
    assert (await bus.info("a")).due["effects"] == 1
    (effect,) = (await bus.take("effects", "e", lease_ms=LEASE_MS)).claims
    assert effect.member == "a summary:0:1:12"
    receipt = await bus.finish(effect, "a", summary(), records[-1].identity)
    assert (receipt.seq, receipt.duplicate) == (5, False)
    await folded(bus, "a", effects=[1])
    info = await bus.info("a")
    assert (info.due["effects"], info.settled) == (0, True)


async def test_without_looking_for_results_an_effect_runs_again(redis_url: str) -> None:
    """A fold from an old snapshot would order every summary anew."""
    async with await Bus.connect(
        redis_url, outbox_seconds=0, scripts=Scripts({"commit.result": ""})
    ) as bus:
        await talk(bus, "a", 3)
        records = await folded(bus, "a", effects=[1])
        (effect,) = (await bus.take("effects", "e", lease_ms=LEASE_MS)).claims
        await bus.finish(effect, "a", summary(), records[-1].identity)
        await folded(bus, "a", effects=[1])
        assert (await bus.info("a")).due["effects"] == 1


async def test_the_first_result_of_an_effect_stands(bus: Bus) -> None:
    """Two runners may finish it; the second one's words are dropped."""
    await talk(bus, "a", 3)
    records = await folded(bus, "a", effects=[1])
    (effect,) = (await bus.take("effects", "e", lease_ms=LEASE_MS)).claims
    first = await bus.finish(effect, "a", summary(text="one"), records[-1].identity)
    second = await bus.finish(effect, "a", summary(text="two"), records[-1].identity)
    assert (second.seq, second.duplicate) == (first.seq, True)
    assert (await bus.take("effects", "e", lease_ms=LEASE_MS)).claims == []


async def test_a_closed_session_takes_the_results_it_is_owed(bus: Bus) -> None:
    """Its last summary is written after its last message."""
    await talk(bus, "a", 3)
    await bus.close("a", "done")
    records = await folded(bus, "a", effects=[1])
    (effect,) = (await bus.take("effects", "e", lease_ms=LEASE_MS)).claims
    await bus.finish(effect, "a", summary(), records[-1].identity)
    assert (await bus.info("a")).head == 6


async def test_a_result_on_a_lost_input_is_refused(bus: Bus, raw: redis.Redis) -> None:
    """The log went back and grew other entries: the summary is of what nobody said."""
    await talk(bus, "a", 3)
    records = await folded(bus, "a", effects=[1])
    (effect,) = (await bus.take("effects", "e", lease_ms=LEASE_MS)).claims
    swap_last(raw, "a", records[-1].seq, records[-1].n)
    with pytest.raises(Fenced, match="no longer in the log"):
        await bus.finish(effect, "a", summary(), records[-1].identity)
    assert await bus.drop(effect)
    assert (await bus.info("a")).due["effects"] == 0


async def test_without_the_input_fence_it_lands(redis_url: str, raw: redis.Redis) -> None:
    """What the rule is for."""
    async with await Bus.connect(
        redis_url, outbox_seconds=0, scripts=Scripts({"finish.input": ""})
    ) as bus:
        await talk(bus, "a", 3)
        records = await folded(bus, "a", effects=[1])
        (effect,) = (await bus.take("effects", "e", lease_ms=LEASE_MS)).claims
        swap_last(raw, "a", records[-1].seq, records[-1].n)
        receipt = await bus.finish(effect, "a", summary(), records[-1].identity)
        assert (receipt.seq, receipt.duplicate) == (records[-1].seq + 1, False)


async def test_what_may_be_owed_anew_leaves_its_lane_only_where_the_log_ends(bus: Bus) -> None:
    """A look that found nothing due may have missed what came since; it is looked at again."""
    look = await _look(bus)
    head = (await bus.info("a")).head
    await talk(bus, "a", 1, first=2)
    assert not await bus.drop(look, head)
    assert await bus.release(look)
    (again,) = (await bus.take("votes", "v", lease_ms=LEASE_MS)).claims
    assert await bus.drop(again, head + 1)
    assert (await bus.take("votes", "v", lease_ms=LEASE_MS)).next_ms is None


async def test_without_the_moot_fence_it_is_lost(redis_url: str) -> None:
    """What the rule is for: nobody is told of it again."""
    async with await without(redis_url, "drop.moot") as bus:
        look = await _look(bus)
        await talk(bus, "a", 1, first=2)
        assert await bus.drop(look, 1)
        assert (await bus.take("votes", "v", lease_ms=LEASE_MS)).next_ms is None


async def _look(bus: Bus) -> Claim:
    """A vote that somebody looks at."""
    await talk(bus, "a", 1)
    claim = await claim_of(bus, "a")
    last = (await everything(bus, "a"))[-1]
    await bus.commit(claim, commit_of(last, "a", effects=[("votes", "vote:1:in", ())]), done=True)
    (look,) = (await bus.take("votes", "v", lease_ms=LEASE_MS)).claims
    return look


async def test_the_effects_of_a_removed_session_are_gone(bus: Bus) -> None:
    """And one in a runner's hands is refused, and off its lane."""
    await talk(bus, "a", 1)
    await folded(bus, "a", effects=[1, 13])
    (claim,) = (await bus.take("effects", "e", count=1, lease_ms=LEASE_MS)).claims
    await bus.remove("a")
    assert (await bus.take("effects", "e", lease_ms=LEASE_MS)).claims == []
    with pytest.raises(SessionNotFound):
        await bus.finish(claim, "a", summary(), "")


async def test_a_commit_must_be_of_the_claimed_session(bus: Bus) -> None:
    """A slip of the caller, not of the log."""
    await talk(bus, "a", 1)
    claim = await claim_of(bus, "a")
    (record, *_) = await everything(bus, "a")
    with pytest.raises(ValueError, match="cannot commit 'b'"):
        await bus.commit(claim, commit_of(record, "b"), done=True)


async def test_five_hundred_facts_go_in_one_commit(bus: Bus) -> None:
    """A batch of entries is one round trip."""
    await talk(bus, "a", 500)
    claim = await claim_of(bus, "a")
    records = await everything(bus, "a")
    facts = [FactRecord(record.seq, 0, {"n": record.n}) for record in records]
    await bus.commit(claim, commit_of(records[-1], "a", facts=facts), done=True)
    assert len(await bus.fact_rows("a", count=1000)) == 501


async def test_a_poisonous_entry_is_set_aside_for_everyone(bus: Bus, raw: redis.Redis) -> None:
    """It stands in the skip list, as an entry of the log, and as a copy among the dead."""
    await talk(bus, "a", 3)
    claim = await claim_of(bus, "a")
    await bus.set_aside("a", 3, "killed 5 workers")
    await bus.set_aside("a", 3, "killed 5 workers")
    info = await bus.info("a")
    assert (info.skips, info.head, info.n) == ((3,), 5, 3)
    last = (await bus.tail("a", 1))[0]
    assert (last.entry.kind, getattr(last.entry, "seq", None)) == ("entry.set_aside", 3)
    ((_, dead),) = rows(raw, "parley:{0}:dead")
    assert (dead[b"session"], dead[b"seq"], dead[b"id"]) == (b"a", b"3", b"m2")
    await bus.release(claim)
    assert (await claim_of(bus, "a")).tries == 0  # the deaths were the entry's


async def test_what_is_folded_is_never_set_aside(bus: Bus) -> None:
    """It killed nobody, and others hold memories with it."""
    await talk(bus, "a", 3)
    await folded(bus, "a")
    with pytest.raises(Fenced, match="folded already"):
        await bus.set_aside("a", 3, "late")
    with pytest.raises(InvalidEntry, match="no entry 9"):
        await bus.set_aside("a", 9, "early")


async def test_without_that_rule_memories_part(redis_url: str) -> None:
    """A commit of those who folded it would be refused for ever."""
    async with await Bus.connect(
        redis_url, outbox_seconds=0, scripts=Scripts({"set_aside.folded": ""})
    ) as bus:
        await talk(bus, "a", 3)
        records = await folded(bus, "a")
        await bus.set_aside("a", 3, "late")
        claim = await claim_of(bus, "a")
        with pytest.raises(Fenced):
            await bus.commit(claim, commit_of(records[-1], "a"), done=True)


async def test_skips_are_listed_in_order(bus: Bus) -> None:
    """Whatever the order they were found in."""
    await talk(bus, "a", 9)
    for seq in (7, 3, 5):
        await bus.set_aside("a", seq, "test")
    assert (await bus.info("a")).skips == (3, 5, 7)


async def test_a_hint_ends_the_wait(bus: Bus) -> None:
    """An idle worker hears of new work at once; without a hint a wait takes a second."""
    clock, names = asyncio.get_running_loop(), itertools.count()

    async def wait_is_short() -> bool:
        await bus.take("fold", "w", lease_ms=LEASE_MS)
        began = clock.time()
        waiting = asyncio.create_task(bus.wait_due(["fold"], "w", 30.0))
        await talk(bus, f"s{next(names)}", 1)
        await waiting
        return clock.time() - began < 0.5

    await wait_until(wait_is_short)  # the first may be sent before this process subscribed


async def test_an_unknown_lane_is_a_slip(bus: Bus) -> None:
    """The lanes are fold, effects and upgrades."""
    with pytest.raises(ValueError, match="no lane 'folds'"):
        await bus.take("folds", "w", lease_ms=LEASE_MS)


async def test_a_result_may_not_be_a_surprise(bus: Bus) -> None:
    """A draft of an effect goes through the same door as any other."""
    await talk(bus, "a", 1)
    records = await folded(bus, "a", effects=[1])
    (effect,) = (await bus.take("effects", "e", lease_ms=LEASE_MS)).claims
    odd = SummaryMade.model_construct(level=0, first=1, last=1, how="extract", text="\ud800")
    with pytest.raises(InvalidEntry):
        await bus.finish(effect, "a", Draft("summary:0:1:12:extract", odd), records[-1].identity)


def microseconds(raw: redis.Redis) -> int:
    """By the server's own clock, which leases and head starts go by."""
    seconds, rest = raw.time()
    return seconds * 1_000_000 + rest


async def _after_lease(bus: Bus) -> Claim:
    claims: list[Claim] = []

    async def taken() -> bool:
        claims.extend((await bus.take("fold", "w", lease_ms=1)).claims)
        return bool(claims)

    await wait_until(taken)
    return claims[0]
