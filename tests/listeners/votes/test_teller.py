"""Counting in a room: once, from what the log says, and into the log that it was counted from."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import BallotCast, Entry, Message, ParticipantAliased, VoteInitiated
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.rooms.room import enter_room
from parley.listeners.votes.teller import VoteTeller
from parley.listeners.votes.vote_results import result_draft
from parley.memory.state.vote_state import Vote
from tests.support.logs.logs import PACKS, opened
from tests.support.servers.patience import cancel_and_wait, wait_until
from tests.support.sessions.sessions import whole
from tests.support.sessions.slow import SlowDoor


@pytest.fixture
async def bus(redis_url: str) -> AsyncIterator[Bus]:
    async with await Bus.connect(redis_url) as bus:
        yield bus


def vote(*ballots: str) -> list[Entry]:
    """Ana, bo and cy, and their vote, in which those have cast a ballot."""
    talk: list[Entry] = [Message(participant=name, content="Hm.") for name in ("ana", "bo", "cy")]
    cast = [BallotCast(participant=name, re="V1", choice=("accept",)) for name in ballots]
    return [*talk, VoteInitiated(participant="ana", content="Tea?"), *cast]


async def put(bus: Bus, session: str, *entries: Entry) -> None:
    at = (await bus.info(session)).head
    await bus.publish(session, [Draft(f"d{at + k}", entry) for k, entry in enumerate(entries)])


async def first_vote(bus: Bus) -> Vote:
    return (await MemoryReader(bus, PACKS).current("s")).votes.by_ref[1]


async def results(bus: Bus) -> int:
    return sum(record.entry.kind == "ballot.completed" for record in await whole(bus, "s"))


async def test_who_is_too_late_with_a_result_adds_none(bus: Bus, redis_url: str) -> None:
    """Another counted the same ballots, and told it in other words: a name was changed before."""
    await bus.open("s", opened())
    await put(bus, "s", *vote("ana", "bo", "cy"))
    async with (
        await Bus.connect(redis_url) as own,
        enter_room(door := SlowDoor(MemoryReader(own, PACKS), "s")) as room,
    ):
        counting = asyncio.create_task(VoteTeller(room, "t").run())
        await door.knocked.wait()
        await put(bus, "s", ParticipantAliased(alias="cy", participant="zoe"))
        memory = await MemoryReader(bus, PACKS).current("s")
        await bus.publish("s", [result_draft(memory, memory.votes.by_ref[1])])
        door.open.set()
        await wait_until(counting.done)
        await counting
    assert ((await first_vote(bus)).status, await results(bus)) == ("carried", 1)


async def test_a_result_does_not_land_in_another_log(bus: Bus, redis_url: str) -> None:
    """The session was replaced while it was on its way: there the same number is another vote."""
    await bus.open("s", opened())
    await put(bus, "s", *vote("ana", "bo", "cy"))
    await bus.open("other", opened())
    await put(bus, "other", *vote("ana"))
    async with (
        await Bus.connect(redis_url) as own,
        enter_room(door := SlowDoor(MemoryReader(own, PACKS), "s")) as room,
    ):
        counting = asyncio.create_task(VoteTeller(room, "t").run())
        await door.knocked.wait()
        await bus.restore("s", await whole(bus, "other"), replace=True)
        door.open.set()
        await wait_until(lambda: room.memory.votes.by_ref[1].ballots.keys() == {"ana"})
        await cancel_and_wait(counting)
    assert ((await first_vote(bus)).status, await results(bus)) == ("open", 0)
