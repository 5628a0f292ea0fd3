"""A session, for a program that takes part in it: join, listen, speak, leave.

    async with Session.connect("redis://localhost", "harbour", "echo") as session:
        async for message in session:
            if message.addressed:
                await session.inform(f"I heard: {message.content}", re=message.n)

What is heard comes once and in order, through outages of Redis too, and ends when
the session is closed. An agent speaks when it has the floor; `say` sees to that.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any, Final, Literal, Self

from bus import Bus, Draft, Receipt
from bus.drafts import made
from bus.entries import (
    Act,
    BallotCast,
    Entry,
    Intent,
    ParticipantJoined,
    SessionOpened,
    VoteInitiated,
    VoteRule,
)
from bus.entries import Message as Said
from bus.errors import BusError, InvalidEntry, SessionExists
from listeners.agents.presence import Presence
from listeners.packs import known, newest
from listeners.rooms import checking
from listeners.rooms.doors import BusDoor
from listeners.rooms.hearing import Hearing, Message
from listeners.rooms.room import Room, entered
from listeners.rooms.turns import WAIT_SECONDS, Muted, Turns, Wish
from listeners.rooms.verbs import Verbs
from memory.context import Context, Profile, Request, assemble
from memory.items import VOICE
from memory.patterns import Pack
from memory.state import Memory


class Session(Verbs):
    """One participant's part in a session. Made by `connect`, or `on` a bus that there is.

    What it raises is the bus's own (`bus.errors`), `FloorLost` and `NotGranted`
    of `listeners.rooms.turns`, and `Superseded` once another process joined under the name.
    """

    def __init__(self, bus: Bus, room: Room, me: Presence, joined: ParticipantJoined) -> None:
        self._room, self._me, self._joined = room, me, joined
        self._turns = Turns(me)
        self._hearing = Hearing(bus, me)

    @classmethod
    @asynccontextmanager
    async def connect(
        cls, url: str, session: str, name: str, **joining: Any
    ) -> AsyncIterator[Self]:
        """Join `session` on the Redis at `url` as `name`; what else `joining` takes: see `on`."""
        async with await Bus.connect(url) as bus, cls.on(bus, session, name, **joining) as joined:
            yield joined

    @classmethod
    @asynccontextmanager
    async def on(
        cls,
        bus: Bus,
        session: str,
        name: str,
        *,
        role: Literal["agent", "person"] = "agent",
        description: str = "",
        interests: Sequence[str] = (),
        may: Sequence[str] | None = None,
        packs: Sequence[Pack] = (),
        create: bool = False,
        settings: Mapping[str, Any] | None = None,
    ) -> AsyncIterator[Self]:
        """Join on `bus`, and leave at the end; the session goes on.

        `may` names acts and capabilities, `packs` patterns beside the shipped
        ones. With `create` a session that is not there is opened, with `settings`.
        Raises `SessionNotFound`, `SessionClosed` for one that is over, and
        `InvalidEntry` for what is no power, no setting, or the server's own name.
        """
        _check_name(name)
        checking.powers(may)
        opened = checking.settings(settings)
        if create:
            opening = SessionOpened(settings=opened, packs=newest())
            with contextlib.suppress(SessionExists):
                await bus.open(session, opening)
        async with (
            entered(BusDoor(bus, known(*packs), session)) as room,
            cls.within(
                room, bus, name, role=role, description=description, interests=interests, may=may
            ) as here,
        ):
            yield here

    @classmethod
    @asynccontextmanager
    async def within(
        cls,
        room: Room,
        bus: Bus,
        name: str,
        *,
        role: Literal["agent", "person"] = "agent",
        description: str = "",
        interests: Sequence[str] = (),
        may: Sequence[str] | None = None,
    ) -> AsyncIterator[Self]:
        """Join in a room that there is on `bus`, and leave at the end; the room stays.

        Raises as `on` does.
        """
        _check_name(name)
        powers = checking.powers(may)
        me = Presence(room, name, secrets.token_hex(6))
        joined = made(
            ParticipantJoined, participant=name, role=role, seat=me.nonce,
            description=description, interests=tuple(interests), may=powers,
        )  # fmt: skip
        here = cls(bus, room, me, joined)
        await me.publish(me.draft("join", joined))
        try:
            yield here
        finally:
            await here._leave()

    # -- listening -------------------------------------------------------------------

    async def __aiter__(self) -> AsyncIterator[Message]:
        """What others say from joining on, as it comes, until the session is closed."""
        async with aclosing(self._hearing.rounds()) as rounds:
            async for messages in rounds:
                await self._keep_seat()
                for message in messages:
                    yield message

    # -- speaking --------------------------------------------------------------------

    async def say(
        self,
        text: str,
        *,
        act: Act | None = None,
        re: int | str | None = None,
        to: Sequence[str] = (),
        topic: str | None = None,
    ) -> int:
        """Say `text`; gives its `n`.

        Where an agent needs the floor for it, waits until it is granted, unless it
        has it already (`floor`, `take_floor`), and gives it back with the message.
        """
        return (await self.said(text, act=act, re=re, to=to, topic=topic)).n

    async def said(
        self,
        text: str,
        *,
        act: Act | None = None,
        re: int | str | None = None,
        to: Sequence[str] = (),
        topic: str | None = None,
        at: str | None = None,
        id: str = "",
        seconds: float = WAIT_SECONDS,
    ) -> Receipt:
        """`say`, under `id`, with at most `seconds` of waiting; where it stands."""
        entry = made(
            Said, participant=self._me.name, content=text, act=act, re=re, to=tuple(to),
            topic=topic, at=at,
        )  # fmt: skip
        await self._keep_seat()
        if not self._needs_floor:
            self._check_heard()
            draft = self._me.draft("say", entry)
            return (await self._room.publish([Draft(id or draft.id, entry)]))[0]
        if self._turns.epoch is None:
            wish = Wish(intent=_INTENTS.get(act or "", "answer"), re=re)
            await self._turns.take(wish, seconds)
        return (await self._turns.commit([entry], id))[0]

    async def take_floor(
        self,
        seconds: float = WAIT_SECONDS,
        *,
        urgency: int = 1,
        intent: Intent = "answer",
        re: int | str | None = None,
        novelty: str = "",
    ) -> int:
        """Wait for the floor; gives its epoch. The next message is said in it, and ends it.

        Nothing to wait for where it is not needed. Raises `NotGranted` when
        `seconds` are over.
        """
        wish = _wish(urgency, intent, re, novelty)
        await self._keep_seat()
        if not self._needs_floor:
            self._check_heard()
            return self._me.floor.epoch
        return await self._turns.take(wish, seconds)

    @asynccontextmanager
    async def floor(self, seconds: float = WAIT_SECONDS, **wish: Any) -> AsyncIterator[int]:
        """`take_floor` as a block; what is not used is given back at its end."""
        epoch = await self.take_floor(seconds, **wish)
        failed = True
        try:
            yield epoch
            failed = False
        finally:
            if self._turns.epoch is not None:
                await self._turns.give_back("failed" if failed else "silent")

    async def bid(
        self,
        urgency: int = 1,
        intent: Intent = "answer",
        *,
        re: int | str | None = None,
        novelty: str = "",
    ) -> None:
        """Ask for the floor without waiting for it; `holds_floor` tells when it is there."""
        await self._turns.bid(_wish(urgency, intent, re, novelty))

    async def pass_(self, *, ready: bool = False, reason: str = "") -> None:
        """Have nothing to add now; `ready`: nothing until something new is said."""
        await self._turns.pass_(ready=ready, reason=reason)

    # -- votes -----------------------------------------------------------------------

    async def call_vote(
        self,
        question: str,
        *,
        re: str | None = None,
        options: Sequence[str] = (),
        rule: VoteRule | None = None,
        secret: bool | None = None,
        id: str = "",
    ) -> int:
        """Ask the group to vote, on proposal `re` where one is given; gives the entry's `n`.

        The entry goes under `id`, where one is given. Raises `InvalidEntry` where the vote
        would not be held, with the reason.
        """
        entry = made(
            VoteInitiated, participant=self._me.name, content=question, re=re,
            options=tuple(options), rule=rule, secret=secret,
        )  # fmt: skip
        checking.call(self.memory, self._me.name, entry)
        return await self._publish("vote", entry, id)

    async def vote(self, ref: str, *choice: str, why: str = "", id: str = "") -> int:
        """Cast a ballot in vote `ref` (V1): one option or `abstain`; of a ranked vote several.

        Raises `InvalidEntry` for what would not count, naming what does, or did not.
        """
        held, read = checking.ballot(self.memory, self._me.name, ref, choice)
        entry = made(BallotCast, participant=self._me.name, re=held.n, choice=read, content=why)
        n = await self._publish("ballot", entry, id)
        checking.in_time(self.memory, held.n, n)
        return n

    # -- what is known ---------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._me.name

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
    def role(self) -> str:
        """What it joined as: agent or person."""
        return self._joined.role

    @property
    def _needs_floor(self) -> bool:
        return self._joined.role == "agent" and self._me.settings.policy != "open"

    def _check_heard(self) -> None:
        """Raises `Muted`: what needs no floor is not said by an agent that is muted either."""
        if self._joined.role == "agent" and self._me.muted:
            raise Muted(self._me.name)

    @property
    def holds_floor(self) -> bool:
        return self._me.floor.holder == self._me.canonical

    async def context(self, profile: Profile = "full", budget: int | None = None) -> Context:
        """What a model needs to know to speak now, within `budget` tokens."""
        shown = self.memory.settings.context
        counts = {"full": shown.recent_full, "brief": shown.recent_brief}
        count = counts.get(profile, 0)
        recent = tuple(self._room.recent)[-count:] if count else ()
        return assemble(
            self.memory,
            Request(participant=self._me.name, profile=profile, budget=budget, recent=recent),
        )

    # -- the seat --------------------------------------------------------------------

    async def _keep_seat(self) -> None:
        """Take the seat again where the log lost it. Raises `Superseded`."""
        if self._me.memory.closed is not None:
            return
        if self._me.seat is None:
            await self._me.publish(self._me.draft("join", self._joined))
        else:
            self._me.check_seat()

    async def _leave(self) -> None:
        await self._turns.left()
        seat = self._me.seat
        if self.closed is None and seat is not None and seat.seat == self._me.nonce:
            with contextlib.suppress(BusError):  # it ended, or Redis is away: we leave anyway
                await self._me.leave()

    async def _publish(self, what: str, entry: Entry, id: str) -> int:
        draft = self._me.draft(what, entry)
        (receipt,) = await self._room.publish([Draft(id or draft.id, entry)])
        return receipt.n


# The intent of a bid, by the act that is meant; others answer.
_INTENTS: Final[dict[str, Intent]] = {
    "propose": "propose", "amend": "amend", "support": "support", "oppose": "oppose",
    "ask": "ask", "decide": "decide", "ratify": "decide", "accept": "decide",
    "reject": "oppose", "dispute": "oppose",
}  # fmt: skip


def _check_name(name: str) -> None:
    if name.casefold() == VOICE:
        raise InvalidEntry(f"{name!r} is the server's own voice; join under another name")


def _wish(urgency: int, intent: Intent, re: int | str | None, novelty: str) -> Wish:
    if not 0 <= urgency <= 3:
        raise InvalidEntry(f"urgency {urgency!r} is not 0 to 3")
    return Wish(urgency, intent, re, novelty)
