"""A participant that sits in a session: who it is there, what it knows, whether it sits still."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from parley.bus import Draft
from parley.bus.contract.errors import BusError
from parley.bus.entries import Entry, ParticipantJoined
from parley.listeners.rooms.participant import Participant
from parley.listeners.rooms.room import Room
from parley.memory.context.context import Context, Profile, Request, assemble
from parley.memory.context.parts import Part, read_parts
from parley.memory.errors import NameOfChair
from parley.memory.state.lookup import chair_meant
from parley.memory.state.memory import Memory


class SeatHolder:
    """In `room`, as `joined` has it, until it stands up."""

    def __init__(self, room: Room, joined: ParticipantJoined) -> None:
        self._room, self._joined = room, joined
        self._me = Participant(room, joined.participant, joined.seat)
        self.stays = False  # where true the seat outlives this part, for who comes back to it

    @property
    def name(self) -> str:
        return self._me.name

    @property
    def role(self) -> str:
        """What it joined as: agent or person."""
        return self._joined.role

    @property
    def memory(self) -> Memory:
        """The session as it stands: live, so read it between two awaits."""
        return self._room.memory

    @property
    def closed(self) -> str | None:
        """Why the session ended; None while it goes on."""
        return self._room.memory.closed

    @property
    def superseded(self) -> bool:
        """Whether another process speaks for this participant now, or it was made to leave."""
        seat = self._me.seat
        return seat is not None and (seat.seat != self._me.nonce or not seat.present)

    @property
    def holds_floor(self) -> bool:
        return self._me.floor.holder == self._me.canonical

    async def context(
        self, profile: Profile = "full", budget: int | None = None, parts: Iterable[Part] = ()
    ) -> Context:
        """What a model needs to know to speak now, within `budget` tokens; with `parts` these."""
        talk = tuple(self._room.talk)
        request = Request(self._me.name, profile, budget, talk, parts=read_parts(parts))
        return assemble(self.memory, request)

    async def _sit_down(self) -> None:
        """Take the seat. Raises `NameOfChair` for a chair's name in another spelling."""
        if chair := chair_meant(self.memory, self.name):
            raise NameOfChair(self.name, chair)
        await self._me.publish(self._me.draft("join", self._joined))

    async def _keep_seat(self) -> None:
        """Take the seat again where the log lost it. Raises `Superseded`."""
        if self.closed is not None:
            return
        if self._me.seat is None:
            await self._sit_down()
        else:
            self._me.check_seat()

    async def _stand_up(self) -> None:
        if self.stays:
            return
        seat = self._me.seat
        if self.closed is None and seat is not None and seat.seat == self._me.nonce:
            with contextlib.suppress(BusError):  # it ended, or Redis is away: we leave anyway
                await self._me.leave()

    async def _publish(self, what: str, entry: Entry, id: str) -> int:
        """Publish `entry`, under `id` where one is given; gives its `n`."""
        draft = self._me.draft(what, entry)
        (receipt,) = await self._room.publish([Draft(id or draft.id, entry)])
        return receipt.n
