"""Speaking in a session: at once where nothing is in the way, else with the floor."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio

from parley.bus import Draft, Receipt
from parley.bus.contract.drafts import validate_entry
from parley.bus.contract.errors import InvalidEntry
from parley.bus.entries import Act, Intent, Message, ParticipantJoined
from parley.listeners.cache.session_access import SessionAccess
from parley.listeners.rooms.edits import draft_edit, find_edit
from parley.listeners.rooms.room import Room
from parley.listeners.rooms.said import Said
from parley.listeners.rooms.seat import SeatHolder
from parley.listeners.sessions.acts import Acts
from parley.listeners.sessions.argument_checks import check_act
from parley.listeners.sessions.turns import FloorRequest, FloorTurns, Muted
from parley.memory.errors import EditRefused


class Speech(SeatHolder, Acts):
    """Says what it has to say, and waits its turn."""

    _access: SessionAccess  # of the `SessionClient` that the same object is

    def __init__(self, room: Room, joined: ParticipantJoined) -> None:
        super().__init__(room, joined)
        self._turns = FloorTurns(self._me)

    async def say(
        self,
        content: str,
        *,
        act: Act | None = None,
        re: int | str | None = None,
        to: Sequence[str] = (),
        topic: str | None = None,
        force: bool = False,
    ) -> Said:
        """Say `content`; gives its `n`, with what it did (`Said`), once it is folded here.

        Where an agent needs the floor for it, waits until it is granted, unless it
        has it already (`floor`, `take_floor`), and gives it back with the message.
        Raises `ActNotAllowed` for an act that the seat was not given (`may`), and unless with
        `force` `UnknownRef` or `UnknownMessage` for one on what is not there, `TargetNeeded` for
        one that needs `re` and has none.
        """
        if not force:
            await self._access.check_target(self._entry(content, act, re, to, topic))
        receipt = await self.publish_message(content, act=act, re=re, to=to, topic=topic)
        return Said.of(self.memory, receipt.n)

    async def edit(self, n: int, content: str, *, id: str = "") -> int:
        """Say one's own last message `n` in other words, or take it back with "".

        Gives the `n` of the edit. Raises `UnknownMessage`, and `EditRefused` where it is not one's
        own, something rests on it, or an agent speaks in turns; `Muted`.
        """
        access = self._access
        if id and (before := await find_edit(access.bus, access.session, id, n, content)):
            return before.n
        if self._needs_floor:
            raise EditRefused(n, "an agent speaks in its turn here")
        self._check_heard()
        name = self._me.name
        entry = await draft_edit(access.bus, self.memory, access.session, name, n, content)
        return await self._publish("edit", entry, id)

    async def publish_message(
        self,
        content: str,
        *,
        act: Act | None = None,
        re: int | str | None = None,
        to: Sequence[str] = (),
        topic: str | None = None,
        at: str | None = None,
        id: str = "",
        wait: float | None = None,
    ) -> Receipt:
        """`say`, under `id`, waiting at most `wait` seconds (`take_floor`); where it stands."""
        entry = self._entry(content, act, re, to, topic, at)
        await self._keep_seat()
        check_act(self.memory, self._me.name, act)
        if not self._needs_floor:
            self._check_heard()
            draft = self._me.draft("say", entry)
            return (await self._room.publish([Draft(id or draft.id, entry)]))[0]
        if self._turns.epoch is None:
            wish = FloorRequest(intent=_INTENTS.get(act or "", "answer"), re=re)
            await self._turns.take(wish, wait)
        return (await self._turns.commit([entry], id))[0]

    def _entry(
        self, content: str, act: Act | None, re: int | str | None, to: Sequence[str],
        topic: str | None, at: str | None = None,
    ) -> Message:  # fmt: skip
        return validate_entry(
            Message, participant=self._me.name, content=content, act=act, re=re, to=tuple(to),
            topic=topic, at=at,
        )  # fmt: skip

    async def take_floor(
        self,
        wait: float | None = None,
        *,
        urgency: int = 1,
        intent: Intent = "answer",
        re: int | str | None = None,
        novelty: str = "",
    ) -> int:
        """Wait for the floor; gives its epoch. The next message is said in it, and ends it.

        Nothing to wait for where it is not needed. Raises `NotGranted` when
        `wait` seconds are over; without them two turns are waited for, each as long as the
        session and the slowest of its seats say that a turn may take.
        """
        wish = _wish(urgency, intent, re, novelty)
        await self._keep_seat()
        if not self._needs_floor:
            self._check_heard()
            return self._me.floor.epoch
        return await self._turns.take(wish, wait)

    @asynccontextmanager
    async def floor(self, wait: float | None = None, **wish: Any) -> AsyncIterator[int]:
        """`take_floor` as a block; what is not used is given back at its end."""
        epoch = await self.take_floor(wait, **wish)
        failed = True
        try:
            yield epoch
            failed = False
        finally:
            if self._turns.epoch is not None:
                with anyio.CancelScope(shield=True):
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

    @property
    def _needs_floor(self) -> bool:
        return self._joined.role == "agent" and self._me.settings.policy != "open"

    def _check_heard(self) -> None:
        """Raises `Muted`: what needs no floor is not said by an agent that is muted either."""
        if self._joined.role == "agent" and self._me.muted:
            raise Muted(self._me.name)


# The intent of a bid, by the act that is meant; others answer.
_INTENTS: Final[dict[str, Intent]] = {
    "propose": "propose", "amend": "amend", "support": "support", "oppose": "oppose",
    "ask": "ask", "decide": "decide", "ratify": "decide", "accept": "decide",
    "reject": "oppose", "dispute": "oppose",
}  # fmt: skip


def _wish(urgency: int, intent: Intent, re: int | str | None, novelty: str) -> FloorRequest:
    if not 0 <= urgency <= 3:
        raise InvalidEntry(f"urgency {urgency!r} is not 0 to 3")
    return FloorRequest(urgency, intent, re, novelty)
