"""The floor's epoch in the log: one grant, and one commit, for each."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from parley.bus import Bus, Draft
from parley.bus.contract.errors import InvalidEntry, SessionClosed, StaleEpoch
from parley.bus.entries import (
    EntrySetAside,
    FloorGranted,
    FloorReleased,
    ParticipantJoined,
    Record,
    SessionOpened,
    SpendSettled,
)
from parley.bus.log.local_log import LocalLog
from parley.memory.fold.apply import apply
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS
from tests.support.servers.patience import wait_until
from tests.support.sessions.talks import everything, forget_after, message_draft, talk, without


def grant(epoch: int, who: str = "ana", name: str = "") -> Draft:
    return Draft(name or f"grant-{epoch}-{who}", FloorGranted(participant=who, epoch=epoch))


def release(epoch: int, who: str = "ana", name: str = "") -> Draft:
    return Draft(name or f"release-{epoch}-{who}", FloorReleased(participant=who, epoch=epoch))


def turn(k: int, epoch: int) -> list[Draft]:
    """What a speaker publishes under `epoch`: its words, their cost, the floor given back."""
    cost = Draft(f"settle:{k}", SpendSettled(participant="ana", call=f"c{k}", output_tokens=9))
    return [message_draft(k), cost, release(epoch + 1, name=f"release-{k}")]


def epochs(records: list[Record]) -> list[int]:
    """The epochs that entries of the log begin, in its order."""
    kinds = ("floor.granted", "floor.released")
    return [getattr(r.entry, "epoch", 0) for r in records if r.entry.kind in kinds]


async def test_of_many_arbiters_one_grants_each_epoch(redis_url: str) -> None:
    """Law 18: they race on connections of their own; every epoch is begun once, in order."""
    async with await Bus.connect(redis_url, outbox_seconds=0) as bus:
        await bus.open("a", SessionOpened())

        async def arbiter(name: str) -> int:
            won = 0
            async with await Bus.connect(redis_url, outbox_seconds=0) as own:
                while (now := (await own.info("a")).epoch) < 20:
                    try:
                        await own.publish("a", [grant(now + 1, name)])
                        won += 1
                    except StaleEpoch:
                        pass
            return won

        won = await asyncio.gather(*(arbiter(f"w{k}") for k in range(6)))
        granted = epochs(await everything(bus, "a"))
        assert granted == list(range(1, len(granted) + 1))
        assert sum(won) == len(granted) == (await bus.info("a")).epoch


async def test_one_epoch_has_one_commit(bus: Bus) -> None:
    """Law 18: of turns published under one epoch at once, one lands whole, of others nothing."""
    await talk(bus, "a", 1)
    await bus.publish("a", [grant(1)])
    outcomes = await asyncio.gather(
        *(bus.publish("a", turn(k, 1), epoch=1) for k in range(10, 18)), return_exceptions=True
    )
    landed = [reply for reply in outcomes if isinstance(reply, list)]
    assert len(landed) == 1
    assert all(isinstance(reply, StaleEpoch) for reply in outcomes if reply not in landed)
    records = await everything(bus, "a")
    assert [record.entry.kind for record in records[3:]] == [
        "message", "spend.settled", "floor.released",
    ]  # fmt: skip
    assert (await bus.info("a")).epoch == 2


async def test_a_commit_sent_twice_is_acknowledged_twice(bus: Bus) -> None:
    """A lost reply costs nothing, although the epoch is over by then."""
    await talk(bus, "a", 1)
    await bus.publish("a", [grant(1)])
    first = await bus.publish("a", turn(2, 1), epoch=1)
    again = await bus.publish("a", turn(2, 1), epoch=1)
    assert [(r.seq, r.n) for r in again] == [(r.seq, r.n) for r in first]
    assert all(receipt.duplicate for receipt in again)
    assert (await bus.info("a")).epoch == 2


@pytest.mark.parametrize("wrong", [0, 1, 3, 2**40])
async def test_only_the_next_epoch_begins(bus: Bus, wrong: int) -> None:
    """Neither one that is over, nor one that skips others; nothing of the batch is written."""
    await talk(bus, "a", 1)
    await bus.publish("a", [grant(1)])
    entry = FloorReleased.model_construct(participant="ana", epoch=wrong)
    with pytest.raises(StaleEpoch):
        await bus.publish("a", [message_draft(2), Draft("r", entry)])
    info = await bus.info("a")
    assert (info.head, info.epoch) == (3, 1)


async def test_a_closed_session_says_so_before_it_speaks_of_epochs(bus: Bus) -> None:
    """What the caller can do is fork it; bidding again would not help."""
    await talk(bus, "a", 1)
    await bus.close("a", "done", rule="turns:1", totals={"turns": 1})
    with pytest.raises(SessionClosed):
        await bus.publish("a", [grant(7)], epoch=3)
    (last,) = await bus.tail("a", 1)
    assert (getattr(last.entry, "rule", ""), getattr(last.entry, "totals", {})) == (
        "turns:1", {"turns": 1},
    )  # fmt: skip


async def test_a_batch_under_an_epoch_is_one_step(bus: Bus) -> None:
    """What would land in parts is refused whole: half a turn would leave the floor held."""
    await talk(bus, "a", 1)
    with pytest.raises(InvalidEntry, match="in one step"):
        await bus.publish("a", [message_draft(k) for k in range(2, 600)], epoch=0)
    with pytest.raises(InvalidEntry, match="in one step"):
        await bus.publish("a", [message_draft(2), message_draft(3, re="m2")], epoch=0)
    assert (await bus.info("a")).head == 2
    local = LocalLog()
    local.open(SessionOpened())
    with pytest.raises(InvalidEntry, match="in one step"):
        local.publish([message_draft(2), message_draft(3, re="m2")], epoch=0)


async def test_without_the_rule_two_arbiters_grant_one_epoch(redis_url: str) -> None:
    """What the fence is for."""
    async with await without(redis_url, "publish.floor") as bus:
        await talk(bus, "a", 1)
        await bus.publish("a", [grant(1, "ana")])
        await bus.publish("a", [grant(1, "bo")])
        assert epochs(await everything(bus, "a")) == [1, 1]


async def test_a_restored_session_goes_on_in_its_epoch(bus: Bus) -> None:
    """Whoever held the floor when it was saved still does; an older grant does not land."""
    await talk(bus, "a", 1)
    await bus.publish("a", [grant(1)])
    await bus.publish("a", turn(2, 1), epoch=1)
    await bus.publish("a", [grant(3)])
    await bus.restore("b", await everything(bus, "a"))
    assert (await bus.info("b")).epoch == 3
    with pytest.raises(StaleEpoch):
        await bus.publish("b", [grant(3, "bo")])
    await bus.publish("b", turn(3, 3), epoch=3)
    assert (await bus.info("b")).epoch == 4


async def test_a_log_that_no_floor_could_have_made_is_not_restored(bus: Bus) -> None:
    """The script counts epochs in floating point; beyond its whole numbers all are next."""
    await talk(bus, "a", 1)
    records = await everything(bus, "a")
    for entry in (
        FloorGranted(participant="ana", epoch=2**60),
        EntrySetAside(seq=2, reason="forged", epoch=2**60),
    ):
        with pytest.raises(InvalidEntry, match="epoch"):
            await bus.restore("b", [*records, Record(3, 1, "g", 0, entry)])


async def test_a_redaction_leaves_the_epoch_as_it_is(bus: Bus) -> None:
    """The log is written anew; the floor is where it was."""
    await talk(bus, "a", 1)
    await bus.publish("a", [grant(1)])
    await bus.redact(
        "a", 1, blank=lambda log, n: message_draft(1, content="[gone]").entry, reason="asked"
    )
    assert (await bus.info("a")).epoch == 1
    with pytest.raises(StaleEpoch):
        await bus.publish("a", [grant(1, "bo")])


async def test_an_epoch_outlives_the_entry_that_began_it(bus: Bus) -> None:
    """A grant is set aside: who folds the rest knows the epoch, and the next grant lands."""
    await talk(bus, "a", 1)
    await bus.publish("a", [Draft("j", ParticipantJoined(participant="ana")), grant(1)])
    await bus.set_aside("a", 4, "killed 5 workers")
    memory = Memory(PACKS)
    for record in await everything(bus, "a"):
        if record.seq != 4:
            apply(memory, record)
    assert (memory.floor.epoch, memory.floor.holder) == ((await bus.info("a")).epoch, "")
    await bus.publish("a", [grant(memory.floor.epoch + 1)])


async def test_a_lost_turn_comes_back_whole(redis_url: str, raw: redis.Redis) -> None:
    """The log went back before the grant; message and epochs stand again, in their order."""
    async with await Bus.connect(redis_url, outbox_seconds=60) as bus:
        await talk(bus, "a", 1)
        await bus.publish("a", [grant(1)])
        await bus.publish("a", turn(2, 1), epoch=1)
        forget_after(raw, "a", seq=2, n=1)
        assert (await bus.info("a")).epoch == 0
        await bus.publish("a", [message_draft(3)], epoch=2)
        ids = [record.id for record in await everything(bus, "a")]
        assert ids == ["open", "m1", "grant-1-ana", "m2", "settle:2", "release-2", "m3"]


async def test_what_was_said_in_an_epoch_that_others_took_still_lands(
    redis_url: str, raw: redis.Redis
) -> None:
    """Acknowledged is never lost; of the floor itself the newer grants stand."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=60) as bus,
        await Bus.connect(redis_url, outbox_seconds=0) as other,
    ):
        await talk(bus, "a", 1)
        await bus.publish("a", [grant(1)])
        await bus.publish("a", turn(2, 1), epoch=1)
        forget_after(raw, "a", seq=2, n=1)
        await other.publish("a", [grant(1, "bo"), release(2, "bo"), grant(3, "bo")])
        await bus.publish("a", [message_draft(3)])
        await bus.publish("a", [message_draft(4)])
        records = await everything(bus, "a")
        assert epochs(records) == [1, 2, 3]
        assert [record.id for record in records[-4:]] == ["m2", "settle:2", "m3", "m4"]


async def test_a_release_waits_for_the_grant_before_it(redis_url: str, raw: redis.Redis) -> None:
    """The arbiter is another process, and slower: the epochs come back in their order."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=0) as arbiter,
        await Bus.connect(redis_url, outbox_seconds=20) as speaker,
    ):
        await talk(speaker, "a", 1)
        await arbiter.publish("a", [grant(1)])
        await speaker.publish("a", turn(2, 1), epoch=1)
        forget_after(raw, "a", seq=2, n=1)
        await speaker.publish("a", [message_draft(3)])
        assert epochs(await everything(arbiter, "a")) == []
        await arbiter.publish("a", [grant(1)])

        async def is_whole() -> bool:
            return (await arbiter.info("a")).epoch == 2

        await wait_until(is_whole)
        assert epochs(await everything(arbiter, "a")) == [1, 2]


AHEAD = st.sampled_from((0, 0, 0, 1, 1, 2, -1, -3))  # of the epoch that the log is in


@given(st.lists(st.tuples(AHEAD, AHEAD, st.booleans()), max_size=40))
def test_epochs_rise_by_one_whatever_is_tried(tries: list[tuple[int, int, bool]]) -> None:
    """Law 18: no order of grants and commits, stale or early, begins an epoch twice."""
    log = LocalLog()
    log.open(SessionOpened())
    under: list[int] = []
    for name in "wxyz":  # two turns, each under the epoch of its grant, so that there are some
        now = log.info().epoch
        log.publish([grant(now + 1, name=name)] if now % 2 == 0 else turn(-now, now))
    for k, (ahead, further, commits) in enumerate(tries):
        now = log.info().epoch
        epoch, begun = max(0, now + ahead), max(0, now + 1 + further)
        drafts = turn(k, begun - 1) if commits and begun else [grant(max(begun, 1), name=f"g{k}")]
        before = log.info()
        try:
            log.publish(drafts, epoch=epoch if commits else None)
            under += [epoch] if commits and begun else []
        except StaleEpoch:
            assert log.info() == before
    assert epochs(log.read(count=500)) == list(range(1, log.info().epoch + 1))
    assert all(a < b for a, b in pairwise(under))
