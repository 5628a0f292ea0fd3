"""A participant in a room: its seat, its own entries, and what it sees of the floor.

Two processes may come to speak for one participant, after a restart or by
mistake. `nonce` tells them apart: the seat remembers the newest, and the older
process finds itself `Superseded`.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from parley.bus import Draft
from parley.bus.contract.errors import StaleEpoch
from parley.bus.entries import Entry, ParticipantJoined, ParticipantLeft, Role
from parley.listeners.rooms.room import Room
from parley.memory.arbitration.gate import is_held_up_by_vote
from parley.memory.settings.floor_settings import FloorSettings
from parley.memory.state.floor_state import Bid, Floor, Seat
from parley.memory.state.memory import Memory
from parley.personas.persona import Persona


class Superseded(Exception):
    """Another process speaks for this participant now."""

    def __init__(self, participant: str) -> None:
        super().__init__(f"{participant!r} joined again from elsewhere; one process speaks for it")


class Participant:
    """`name` in `room`, as this process speaks for it."""

    def __init__(self, room: Room, name: str, nonce: str) -> None:
        self.room = room
        self.name = name
        self.nonce = nonce
        # Names may hold spaces, ids may not.
        self.key = f"{blake2b(name.encode(), digest_size=6).hexdigest()}.{nonce}"
        self._made = 0

    @property
    def memory(self) -> Memory:
        return self.room.memory

    @property
    def floor(self) -> Floor:
        return self.room.memory.floor

    @property
    def settings(self) -> FloorSettings:
        return self.room.memory.settings.floor

    @property
    def canonical(self) -> str:
        """The participant's name in memory: an alias may have been given meanwhile."""
        return self.room.memory.named(self.name)

    @property
    def seat(self) -> Seat | None:
        return self.floor.seats.get(self.canonical)

    @property
    def muted(self) -> bool:
        """Whether a moderator took its word from it."""
        return self.seat is not None and self.seat.muted

    @property
    def intent(self) -> Bid | None:
        """With what it was granted the floor, else what it asks for it with."""
        floor, mine = self.floor, self.canonical
        return floor.intent if floor.holder == mine else floor.bids.get(mine)

    def voting(self) -> bool:
        """Whether a vote keeps the talk waiting."""
        return is_held_up_by_vote(self.memory)

    async def sit_down(
        self, role: Role, persona: Persona | None = None, *, may: Sequence[str] | None = None,
        answer_ms: int | None = None,
    ) -> None:  # fmt: skip
        """Take the seat, from whoever has it.

        `answer_ms` is what an answer may take where the session gives less.
        """
        if answer_ms is not None and answer_ms <= self.settings.evaluation_ms:
            answer_ms = None
        joined = ParticipantJoined(
            participant=self.name, role=role, seat=self.nonce, answer_ms=answer_ms
        )
        if persona is not None:
            budget = persona.budget
            joined = joined.model_copy(update={
                "description": persona.description, "interests": persona.interests,
                "may": persona.may, "weight": persona.vote_weight,
                "reactivity": persona.reactivity, "cooldown": persona.cooldown,
                "turns": budget.turns, "tokens": budget.tokens, "micros": budget.micros,
            })  # fmt: skip
        if may is not None:
            joined = joined.model_copy(update={"may": tuple(may)})
        await self.room.publish([Draft(f"join:{self.key}", joined)])

    def check_seat(self) -> None:
        """Raises `Superseded` where another process has the seat."""
        seat = self.seat
        if seat is None or seat.seat != self.nonce or not seat.present:
            raise Superseded(self.name)

    async def leave(self, reason: str = "") -> None:
        """Give the seat up."""
        left = ParticipantLeft(participant=self.name, seat=self.nonce, reason=reason)
        await self.publish(self.draft("left", left))

    def draft(self, what: str, entry: Entry) -> Draft:
        """`entry` under an id that nobody else gives."""
        self._made += 1
        return Draft(f"{what}:{self.key}:{self._made}", entry)

    async def publish(self, *drafts: Draft | None) -> None:
        """Publish those of `drafts` that there are, together."""
        if offered := [draft for draft in drafts if draft is not None]:
            await self.room.publish(offered)

    async def publish_in_epoch(self, epoch: int, *drafts: Draft | None) -> bool:
        """Publish under `epoch`; False, and nothing is written, where the floor moved on."""
        offered = [draft for draft in drafts if draft is not None]
        try:
            await self.room.publish(offered, epoch=epoch)
        except StaleEpoch:
            return False
        return True
