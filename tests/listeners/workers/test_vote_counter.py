"""Votes that a worker counts: in time, exactly once, and for nothing while none runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
import redis

from parley.bus import Bus, Draft
from parley.bus.contract.drafts import result_id
from parley.bus.entries import (
    BallotCast,
    BallotCompleted,
    Entry,
    Message,
    ParticipantJoined,
    ParticipantLeft,
    SettingsChanged,
    VoteExtended,
    VoteInitiated,
)
from parley.bus.sessions.stored_rows import decode_rows
from parley.listeners.agents.arbiter import Arbiter
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.rooms.log_port import RedisLog
from parley.listeners.rooms.room import enter_room
from parley.listeners.votes.teller import VoteTeller
from parley.listeners.votes.vote_times import read_end_ms
from parley.listeners.workers.projector import Projector
from parley.listeners.workers.vote_counter import LANE, VoteCounter
from parley.memory.state.vote_state import Vote
from parley.server.records.log_audit import fork_log
from tests.support.logs.logs import PACKS, opened
from tests.support.servers.patience import cancel_and_wait, wait_until
from tests.support.servers.servers import RedisServer
from tests.support.sessions.sessions import past, running, whole

DUE = "parley:{0}:due:votes"


@pytest.fixture
async def bus(redis_url: str) -> AsyncIterator[Bus]:
    async with await Bus.connect(redis_url) as bus:
        yield bus


async def put(bus: Bus, *entries: Entry, session: str = "s") -> int:
    at = (await bus.info(session)).head
    drafts = [Draft(f"d{at + k}", entry) for k, entry in enumerate(entries)]
    return (await bus.publish(session, drafts))[-1].n


def ballot(name: str, choice: str = "accept", ref: int | str = "V1") -> BallotCast:
    return BallotCast(participant=name, re=ref, choice=(choice,))


async def begin(bus: Bus, session: str = "s", **vote: object) -> None:
    """Ana, who chairs, and bo, and V1 of theirs, which is open."""
    await bus.open(session, opened(vote=vote, chair=["ana"]))
    talk = [Message(participant=name, content="Hm.") for name in ("ana", "bo")]
    await put(bus, *talk, session=session)
    await put(bus, VoteInitiated(participant="ana", content="Tea?"), session=session)


async def vote_in(bus: Bus, ref: int = 1, session: str = "s") -> Vote:
    return (await MemoryReader(bus, PACKS).current(session)).votes.by_ref[ref]


async def results(bus: Bus, session: str = "s") -> list[BallotCompleted]:
    records = await whole(bus, session)
    return [
        cast("BallotCompleted", record.entry)
        for record in records
        if record.entry.kind == "ballot.completed"
    ]


async def ended(bus: Bus, session: str = "s") -> bool:
    return (await vote_in(bus, session=session)).status != "open"


@asynccontextmanager
async def counting(bus: Bus) -> AsyncIterator[None]:
    """A worker's fold process at work."""
    async with running(Projector(bus, PACKS, "w"), VoteCounter(bus, PACKS, "w")):
        yield


async def an_hour_later(bus: Bus, session: str = "s") -> None:
    """Nobody was there to count meanwhile."""
    await bus.restore(session, past(await whole(bus, session)), replace=True)


async def test_a_vote_ends_with_its_last_ballot(bus: Bus) -> None:
    """Though no door has the session open."""
    await begin(bus)
    async with counting(bus):
        await put(bus, ballot("ana"), ballot("bo"))
        await wait_until(lambda: ended(bus))
    (result,) = await results(bus)
    assert (result.carried, result.tally["accept"]) == ("accept", 2)


async def test_a_vote_whose_time_is_over_ends(bus: Bus) -> None:
    """At once where it was over before any worker began."""
    await begin(bus)
    await put(bus, ballot("ana"))
    await an_hour_later(bus)
    async with counting(bus):
        await wait_until(lambda: ended(bus))
    assert [result.carried for result in await results(bus)] == ["accept"]


async def test_a_vote_that_nobody_agreed_to_is_cancelled(bus: Bus) -> None:
    """When its time is over, as by an arbiter."""
    await begin(bus, confirm="all")
    assert (await vote_in(bus)).status == "called"
    await an_hour_later(bus)
    async with counting(bus):
        await wait_until(lambda: _is(bus, "cancelled"))
    assert len(await results(bus)) == 1


async def _is(bus: Bus, status: str) -> bool:
    return (await vote_in(bus)).status == status


async def test_a_vote_that_runs_waits_in_its_lane(bus: Bus, any_server: RedisServer) -> None:
    """Until its time, no sooner; nothing asks after it till then, and a settled session has it."""
    await begin(bus, seconds=600)
    (call,) = [record for record in await whole(bus, "s") if record.entry.kind == "vote.initiated"]
    projector, counter = Projector(bus, PACKS, "w"), VoteCounter(bus, PACKS, "w")
    while await projector.round() == 0:
        pass
    assert await counter.round() == 0
    with any_server.client() as raw:
        ((member, score),) = cast(
            "list[tuple[bytes, float]]", raw.zrange(DUE, 0, -1, withscores=True)
        )
    assert member == f"s vote:{call.n}:600".encode()
    assert score >= call.received_ms + 600_000
    taken = await bus.take(LANE, "w", lease_ms=1_000)
    assert not taken.claims
    assert taken.next_ms is not None
    assert taken.next_ms <= 600_000
    info = await bus.info("s")
    assert (info.folded, info.due) == (info.head, {"fold": 0, "effects": 0, "upgrades": 0})
    await bus.remove("s")
    with any_server.client() as raw:
        assert not raw.exists(DUE)


async def test_who_counts_at_once_lands_one_result(bus: Bus, redis_url: str) -> None:
    """A gateway's teller, an arbiter, and two workers; the log has one, and nobody is refused."""
    await begin(bus)
    async with (
        await Bus.connect(redis_url) as other,
        enter_room(RedisLog(MemoryReader(bus, PACKS), "s")) as room,
        enter_room(RedisLog(MemoryReader(other, PACKS), "s")) as table,
        counting(bus),
        running(Projector(other, PACKS, "v"), VoteCounter(other, PACKS, "v")),
    ):
        tasks = [
            asyncio.create_task(VoteTeller(room, "t").run()),
            asyncio.create_task(Arbiter(table, "a").run()),
        ]
        await put(bus, ballot("ana"), ballot("bo", "reject"))
        await wait_until(lambda: ended(bus))
        await wait_until(tasks[0].done)
        await cancel_and_wait(*tasks)
        await wait_until(lambda: _rests(bus))
    assert len(await results(bus)) == 1


async def _rests(bus: Bus) -> bool:
    """Nothing is left in the lane: whoever still counts has found it over."""
    info = await bus.info("s")
    taken = await bus.take(LANE, "onlooker", lease_ms=1)
    for claim in taken.claims:
        await bus.release(claim)
    return info.folded == info.head and not taken.claims and taken.next_ms is None


async def test_a_shorter_time_ends_a_vote_that_runs(bus: Bus) -> None:
    """What waits for the longer one is no longer asked."""
    await begin(bus, seconds=7_200)
    await an_hour_later(bus)
    async with counting(bus):
        await put(bus, ballot("ana"))
        await put(bus, SettingsChanged(settings={"vote": {"seconds": 60}}))
        await wait_until(lambda: ended(bus))
    assert len(await results(bus)) == 1


async def test_a_vote_that_is_given_more_time_ends_that_much_later(bus: Bus) -> None:
    """Also where its time is over and nobody counted yet; the others end as they would have."""
    await begin(bus)
    call = VoteInitiated(participant="bo", content="Cake?", seconds=2)
    await put(bus, ballot("ana"), call)
    await an_hour_later(bus)
    async with counting(bus):
        await wait_until(lambda: ended(bus))
    await put(bus, VoteInitiated(participant="ana", content="Pie?", seconds=60))
    await an_hour_later(bus)
    await put(bus, VoteExtended(participant="ana", re="V3", seconds=7_200))
    async with counting(bus):
        await wait_until(lambda: _waits(bus, "s"))
    assert [(await vote_in(bus, ref)).status for ref in (1, 2, 3)] == ["carried", "short", "open"]


async def test_a_fork_gives_a_vote_that_ran_its_time_anew(bus: Bus) -> None:
    """It is over in the session that it was called in, and runs in the fork."""
    await begin(bus)
    await an_hour_later(bus)
    rows = (await bus.audit("s")).rows
    then = await bus.now_ms()
    await bus.restore("f", decode_rows(fork_log(rows, "s", 3, then)))
    async with counting(bus):
        await wait_until(lambda: ended(bus))
        await wait_until(lambda: _waits(bus, "f"))
    assert (await vote_in(bus, session="f")).status == "open"


async def test_a_fork_keeps_what_a_vote_was_given(bus: Bus) -> None:
    """All of it counts from the fork; a log that is put back has it from the call, as it was."""
    await begin(bus)
    await put(bus, VoteExtended(participant="ana", re="V1", seconds=600))
    await an_hour_later(bus)
    records = await whole(bus, "s")
    (called,) = [record for record in records if record.entry.kind == "vote.initiated"]
    rows, then = (await bus.audit("s")).rows, await bus.now_ms()
    await bus.restore("f", decode_rows(fork_log(rows, "s", 3, then)))
    for session, begun in (("s", called.received_ms), ("f", then)):
        vote = await vote_in(bus, session=session)
        assert (vote.status, vote.seconds) == ("open", 720)
        end = await read_end_ms(bus, await bus.info(session), vote.n, vote.seconds)
        assert end == begun + 720_000


async def _waits(bus: Bus, session: str) -> bool:
    info = await bus.info(session)
    taken = await bus.take(LANE, "onlooker", lease_ms=1)
    for claim in taken.claims:
        await bus.release(claim)
    waiting = taken.next_ms is not None and taken.next_ms > 60_000
    return info.folded == info.head and not taken.claims and waiting


async def test_an_entry_under_the_id_of_a_result_keeps_no_vote_open(bus: Bus) -> None:
    """It closed nothing, so the result comes under another id."""
    await begin(bus)
    n = (await vote_in(bus)).n
    squatter = BallotCompleted(participant="eve", consensus=True, content="Mine.", vote=99)
    await bus.publish("s", [Draft(result_id(n, 0), squatter)])
    await an_hour_later(bus)
    async with counting(bus):
        await wait_until(lambda: ended(bus))
    assert [result.vote for result in await results(bus)] == [99, n]


async def test_who_comes_back_is_waited_for(bus: Bus) -> None:
    """A look for which nobody was missing any more finds somebody missing, and ends nothing."""
    await bus.open("s", opened(chair=["ana"]))
    joined = [ParticipantJoined(participant=name, role="person") for name in ("ana", "bo")]
    await put(bus, *joined, VoteInitiated(participant="ana", content="Tea?"), ballot("ana"))
    await put(bus, ParticipantLeft(participant="bo"))
    projector, counter = Projector(bus, PACKS, "w"), VoteCounter(bus, PACKS, "w")
    while await projector.round() == 0:
        pass
    await put(bus, ParticipantJoined(participant="bo", role="person"))
    while await counter.round() == 0:
        pass
    assert await results(bus) == []
    while await projector.round() == 0:
        pass
    await put(bus, ParticipantLeft(participant="bo"))
    while await projector.round() == 0:
        pass
    while await counter.round() == 0:
        pass
    assert [result.carried for result in await results(bus)] == ["accept"]


@pytest.mark.real_server("INFO commandstats")
async def test_sessions_without_a_vote_cost_the_counter_nothing(any_server: RedisServer) -> None:
    """One question to the lane, however many sessions there are; nothing about them in it."""
    async with await Bus.connect(any_server.url, outbox_seconds=0) as bus:
        projector, counter = Projector(bus, PACKS, "w"), VoteCounter(bus, PACKS, "w")
        await counter.round()
        with any_server.client() as raw:
            alone = await _asked(raw, counter)
            for k in range(30):
                await bus.open(f"s{k}", opened())
                await put(bus, Message(participant="ana", content="Hm."), session=f"s{k}")
            while await projector.round() == 0:
                pass
            assert not raw.exists(DUE)
            assert await _asked(raw, counter) == alone == {"evalsha": 1, "zrangebyscore": 2}


async def _asked(raw: redis.Redis, counter: VoteCounter) -> dict[str, int]:
    """What a look into an empty lane asks for: the script, and the reading done in it."""
    client: Any = raw  # redis-py types its replies for every client setting at once
    client.config_resetstat()
    assert await counter.round() > 1
    stats = client.info("commandstats")
    named = ("evalsha", "zrangebyscore", "hmget", "xrange", "zadd")
    return {name: stats[f"cmdstat_{name}"]["calls"] for name in named if f"cmdstat_{name}" in stats}
