"""Turns that do not come to their end: whoever stops in the middle of one keeps no floor."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from parley.bus import Draft, Receipt
from parley.bus.contract.errors import Busy
from parley.bus.entries import FloorGranted, Message, ParticipantJoined, SessionOpened
from parley.bus.log.local_log import LocalLog
from parley.listeners.rooms.log_port import LocalLogPort
from parley.listeners.rooms.participant import Participant
from parley.listeners.rooms.room import Room, enter_room
from parley.listeners.sessions.turns import FloorRequest, FloorTurns, NotGranted
from tests.support.logs.logs import PACKS
from tests.support.servers.patience import cancel_and_wait, wait_until

WORD = Message(participant="echo", content="A word.")


class SlowDoor(LocalLogPort):
    """One that lets entries through when it is open, and has a fault to tell where it is given."""

    def __init__(self, log: LocalLog) -> None:
        super().__init__(log, PACKS)
        self.open, self.knocked, self.fault = asyncio.Event(), asyncio.Event(), False
        self.open.set()

    async def publish(
        self, drafts: Sequence[Draft], epoch: int | None, incarnation: str = ""
    ) -> list[Receipt]:
        self.knocked.set()
        await self.open.wait()
        if self.fault:
            self.fault = False
            raise Busy(self.session, 1, "too much at once")
        return await super().publish(drafts, epoch, incarnation)


@asynccontextmanager
async def granted() -> AsyncIterator[tuple[SlowDoor, Room, FloorTurns]]:
    """Echo has the floor, for a minute, and nobody arbitrates."""
    log = LocalLog("s")
    log.open(SessionOpened(settings={"floor": {"policy": "bid"}}))
    joined = ParticipantJoined(participant="echo", role="agent", seat="x")
    grant = FloorGranted(participant="echo", epoch=1, lease_ms=60_000)
    log.publish([Draft("join", joined), Draft("grant", grant)])
    door = SlowDoor(log)
    async with enter_room(door) as room:
        turns = FloorTurns(Participant(room, "echo", "x"))
        assert await turns.take(FloorRequest()) == 1
        yield door, room, turns


@pytest.mark.parametrize(("answer_ms", "waited"), [(None, "0.1 s"), (150, "0.3 s")])
async def test_a_turn_is_waited_for_as_long_as_two_may_take(
    answer_ms: int | None, waited: str
) -> None:
    """Each as long as the session gives a holder, or as its slowest seat says of its model."""
    log = LocalLog("s")
    log.open(SessionOpened(settings={"floor": {"policy": "bid", "lease_ms": 50}}))
    slow = ParticipantJoined(participant="slow", role="agent", seat="y", answer_ms=answer_ms)
    joined = ParticipantJoined(participant="echo", role="agent", seat="x")
    log.publish([Draft("slow", slow), Draft("join", joined)])
    async with enter_room(LocalLogPort(log, PACKS)) as room:
        turns = FloorTurns(Participant(room, "echo", "x"))
        with pytest.raises(NotGranted, match=f"within {waited}"):
            await turns.take(FloorRequest())
        await turns.aclose()


def spoken(room: Room) -> int:
    return sum(record.entry.kind == "message" for record in room.recent)


async def test_a_word_that_is_cancelled_on_its_way_gives_the_floor_back() -> None:
    """At once, and not when the lease ends; the word is not said."""
    async with granted() as (door, room, turns):
        door.open.clear()
        door.knocked.clear()
        saying = asyncio.create_task(turns.commit([WORD]))
        await door.knocked.wait()
        await cancel_and_wait(saying)
        door.open.set()
        await wait_until(lambda: room.memory.floor.epoch == 2)
        assert (room.memory.floor.holder, spoken(room)) == ("", 0)


async def test_a_word_that_landed_before_it_was_cancelled_ends_its_turn_once() -> None:
    """What is given back is given back already."""
    async with granted() as (door, room, turns):
        receipts = await turns.commit([WORD])
        turns.epoch = 1  # as it was, had nobody heard of it
        door.open.clear()
        door.knocked.clear()
        returning = asyncio.create_task(turns.give_back())
        await door.knocked.wait()
        await cancel_and_wait(returning)
        door.open.set()
        await turns.left()
        assert (room.memory.floor.epoch, spoken(room), room.seq) == (2, 1, receipts[0].seq + 1)


async def test_a_floor_that_is_given_back_in_haste_is_given_back() -> None:
    """Though whoever does it is cancelled meanwhile."""
    async with granted() as (door, room, turns):
        door.open.clear()
        door.knocked.clear()
        returning = asyncio.create_task(turns.give_back())
        await door.knocked.wait()
        await cancel_and_wait(returning)
        door.open.set()
        await wait_until(lambda: room.memory.floor.epoch == 2)


async def test_a_word_that_is_refused_gives_the_floor_back() -> None:
    """Whatever it is refused for; the caller is told, and may ask again."""
    async with granted() as (door, room, turns):
        door.fault = True
        with pytest.raises(Busy):
            await turns.commit([WORD])
        await turns.left()
        assert (room.memory.floor.epoch, room.memory.floor.holder, spoken(room)) == (2, "", 0)
