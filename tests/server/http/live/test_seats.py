"""Seats through the doors: taken once, kept while used, given up, lost to another process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest

from parley.bus import Bus
from parley.bus.contract.errors import InvalidEntry, SessionClosed, SessionNotFound
from parley.listeners.agents.arbiter import Arbiter
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.history.moments import History
from parley.listeners.rooms.participant import Superseded
from parley.listeners.sessions.session import Session
from parley.server.http.identity.authorization import Caller
from parley.server.http.live.seats import Seats
from parley.server.http.live.session_channels import SessionChannels
from tests.support.logs.logs import PACKS
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.sessions.rooms import BID, opened, publish_message


def caller(name: str, may: tuple[str, ...] | None = None) -> Caller:
    return Caller(name, "agent", "s", may, operator=False, jti=f"j-{name}", expires=2**40)


@dataclass
class Sitting:
    """Seats over rooms, and a clock that the test sets."""

    bus: Bus
    rooms: SessionChannels
    seats: Seats
    now: list[float] = field(default_factory=lambda: [0.0])

    def present(self, name: str) -> bool:
        room = self.rooms.current("s")
        seat = None if room is None else room.memory.floor.seats.get(name)
        return seat is not None and seat.present


@asynccontextmanager
async def sitting(url: str, *, minutes: float = 30, **settings: Any) -> AsyncIterator[Sitting]:
    async with await Bus.connect(url) as bus:
        await opened(bus, "s", settings)
        moments, now = History(bus, PACKS), [0.0]
        rooms = SessionChannels(MemoryReader(bus, PACKS), moments, linger_seconds=5)
        seats = Seats(MemoryReader(bus, PACKS), rooms, minutes, lambda: now[0])
        try:
            yield Sitting(bus, rooms, seats, now)
        finally:
            await seats.aclose()
            await rooms.aclose()
            await moments.aclose()


async def test_a_seat_is_taken_once_by_each_name(redis_url: str) -> None:
    """Again, at once, or under an alias it is the same seat, with the powers of the token."""
    async with sitting(redis_url) as here:
        ana = caller("ana", ("propose", "vote"))
        session, other = await asyncio.gather(
            here.seats.take(ana, "s", description="minds the pier", interests=["light"]),
            here.seats.take(ana, "s"),
        )
        assert session is other is here.seats.find("ana", "s")
        seat = session.memory.floor.seats["ana"]
        assert (seat.role, seat.may) == ("agent", ("propose", "vote"))
        assert here.seats.find("bo", "s") is None
        assert here.seats.find("ana", "elsewhere") is None
        (room,) = [here.rooms.current("s")]
        assert room is not None
        assert sum(1 for seat in room.memory.floor.seats.values() if seat.present) == 1


async def test_who_leaves_is_seen_to_leave(redis_url: str) -> None:
    """By everybody, in the log; there is nothing to leave twice."""
    async with sitting(redis_url) as here:
        await here.seats.take(caller("ana"), "s")
        assert here.present("ana")
        assert await here.seats.leave("ana", "s")
        assert not here.present("ana")
        assert not await here.seats.leave("ana", "s")
        again = await here.seats.take(caller("ana"), "s")
        assert here.present("ana")
        assert (await again.say("Back again.")) == 1


async def test_a_vote_outlives_the_server_that_stops(redis_url: str) -> None:
    """Who sits where a vote runs stays seated, comes back and casts; others are seen to leave."""
    async with sitting(redis_url, chair=["ana"]) as first:
        await opened(first.bus, "quiet", {})
        ana = await first.seats.take(caller("ana"), "s")
        await first.seats.take(caller("bo"), "s")
        await first.seats.take(caller("bo"), "quiet")
        await ana.call_vote("Shall the light stand at the pier?")
        await first.seats.aclose()
        kinds = [record.entry.kind for record in await first.bus.read("quiet")]
        assert kinds[-1] == "participant.left"
        assert first.present("ana")
        assert first.present("bo")
        for name in ("ana", "bo"):
            back = await first.seats.take(caller(name), "s")
            await back.vote("V1", "accept")
        await wait_until(lambda: back.memory.votes.by_ref[1].status == "carried")


async def test_an_idle_seat_is_given_up(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking for it keeps it; the clock is that of the doors."""
    monkeypatch.setattr("parley.server.http.live.seats.LOOK_SECONDS", 0.01)
    async with sitting(redis_url, minutes=1) as here:
        await here.seats.take(caller("ana"), "s")
        await here.seats.take(caller("bo"), "s")
        here.now[0] = 50
        assert here.seats.find("bo", "s") is not None
        here.now[0] = 70
        await wait_until(lambda: not here.present("ana"))
        assert here.present("bo")
        assert here.seats.find("ana", "s") is None


async def test_a_seat_that_another_process_took_is_lost(redis_url: str) -> None:
    """It is said once, and the name may sit down again."""
    async with sitting(redis_url) as here:
        await here.seats.take(caller("ana"), "s")
        async with Session.on(here.bus, "s", "ana") as elsewhere:
            mine = here.rooms.current("s")
            assert mine is not None
            await mine.wait_until_folded(elsewhere.memory.seq)
            with pytest.raises(Superseded):
                here.seats.find("ana", "s")
            assert here.seats.find("ana", "s") is None
            assert elsewhere.memory.floor.seats["ana"].present


async def test_a_seat_goes_with_its_session(redis_url: str) -> None:
    """Where one is made anew under the name, nothing is said from the old seat, nor left."""
    async with sitting(redis_url) as here:
        old = await here.seats.take(caller("ana"), "s")
        await here.bus.remove("s")
        await wait_until(lambda: here.rooms.current("s") is None)
        await opened(here.bus, "s", {})
        with pytest.raises(SessionNotFound):
            await old.say("From nowhere.")
        assert here.seats.find("ana", "s") is None
        anew = await here.seats.take(caller("ana"), "s")
        assert here.present("ana")
        assert (await anew.say("Here.")) == 1
        await here.seats.aclose()
        kinds = [record.entry.kind for record in await here.bus.read("s")]
        assert kinds == ["session.opened", "participant.joined", "message", "participant.left"]


async def test_a_seat_that_cannot_be_taken_leaves_nothing(redis_url: str) -> None:
    """No session, a closed one, the server's own name: refused, and none is kept."""
    async with sitting(redis_url) as here:
        with pytest.raises(SessionNotFound):
            await here.seats.take(caller("ana"), "nowhere")
        with pytest.raises(InvalidEntry):
            await here.seats.take(caller("Parley"), "s")
        await here.bus.close("s", "done")
        with pytest.raises(SessionClosed):
            await here.seats.take(caller("ana"), "s")
        assert here.seats.find("ana", "s") is None


async def test_agents_under_a_floor_are_granted_it_here(redis_url: str) -> None:
    """A room with agents has an arbiter, for as long as they are present."""
    async with sitting(redis_url, floor=BID) as here:
        ana = await here.seats.take(caller("ana"), "s")
        bo = await here.seats.take(caller("bo"), "s")
        await publish_message(here.bus, "s", "host", "Who begins?")
        with anyio.fail_after(PATIENCE):
            numbers = await asyncio.gather(ana.say("I do."), bo.say("After you."))
        assert sorted(numbers) == [2, 3]
        live_session = here.rooms._live_sessions["s"]
        assert live_session.worker_kind is Arbiter
        for name in ("ana", "bo"):
            await here.seats.leave(name, "s")
        await wait_until(lambda: live_session.worker_kind is None)
