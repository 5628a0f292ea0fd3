"""A session, for a program that takes part in it: join, listen, speak, leave.

    async with Session.connect("redis://localhost", "harbour", "echo") as session:
        async for message in session:
            if message.addressed:
                await session.inform(f"I heard: {message.content}", re=message.n)

Messages come once and in order, through outages of Redis too, and end when the session
is closed. An agent speaks when it has the floor; `say` sees to that. Its notebook, goals,
tools and the rest of a `SessionClient` are parts of the same object.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any, Self, Unpack

import anyio

from parley.bus import Bus
from parley.bus.contract.errors import SessionExists
from parley.bus.entries import ParticipantJoined, SessionOpened
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.models.model_port import Model
from parley.listeners.rooms.log_port import RedisLog
from parley.listeners.rooms.room import Room, enter_room
from parley.listeners.sessions import argument_checks
from parley.listeners.sessions.inbox import HeardMessage, Inbox
from parley.listeners.sessions.join_entry import JoinOptions, SessionOptions, join_entry
from parley.listeners.sessions.session_client import SessionClient
from parley.listeners.sessions.session_votes import SessionVotes
from parley.listeners.sessions.shipped_packs import known_packs, newest_packs
from parley.listeners.sessions.speech import Speech
from parley.memory.extraction.patterns.pattern_packs import Pack
from parley.memory.settings.presets import opening_tree


class Session(Speech, SessionVotes, SessionClient):
    """One participant's part in a session. Made by `connect`, or `on` a bus that there is.

    What it raises is the bus's own (`parley.bus.contract.errors`), `FloorLost` and
    `NotGranted` of `parley.listeners.sessions.turns`, and `Superseded` once another process
    joined under the name.
    """

    def __init__(
        self,
        reader: MemoryReader,
        room: Room,
        joined: ParticipantJoined,
        model: Model | None = None,
    ) -> None:
        Speech.__init__(self, room, joined)
        SessionClient.__init__(
            self, reader.bus, reader.packs, room.session, self.name, reader=reader, model=model
        )
        self._hearing = Inbox(reader.bus, self._me)

    @classmethod
    @asynccontextmanager
    async def connect(
        cls, url: str, session: str, name: str, **joining: Unpack[SessionOptions]
    ) -> AsyncIterator[Self]:
        """Join `session` on the Redis at `url` as `name`; the rest as `on` has it."""
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
        packs: Sequence[Pack] = (),
        create: bool = False,
        settings: Mapping[str, Any] | None = None,
        model: Model | None = None,
        **joining: Unpack[JoinOptions],
    ) -> AsyncIterator[Self]:
        """Join on `bus`, and leave at the end; the session goes on.

        With `create` a session that is not there is opened, with `check_settings`. `model`
        words inline summaries and rewrites the notebook. Raises
        `SessionNotFound`, `SessionClosed` for one that is over, and `InvalidEntry` for
        what is no power, no setting, or the server's own name.
        """
        entry = join_entry(name, **joining)
        opened = argument_checks.check_settings(settings)
        if create:
            opening = SessionOpened(settings=opening_tree(opened), packs=newest_packs(*packs))
            with contextlib.suppress(SessionExists):
                await bus.open(session, opening)
        reader = MemoryReader(bus, known_packs(*packs))
        async with (
            enter_room(RedisLog(reader, session)) as room,
            cls._part(reader, room, entry, model) as here,
        ):
            yield here

    @classmethod
    @asynccontextmanager
    async def within(
        cls,
        room: Room,
        reader: MemoryReader,
        name: str,
        *,
        model: Model | None = None,
        **joining: Unpack[JoinOptions],
    ) -> AsyncIterator[Self]:
        """Join in a room that there is, and leave at the end; the room stays.

        `reader` is the process' own, on the bus of the room. Raises as `on` does.
        """
        async with cls._part(reader, room, join_entry(name, **joining), model) as here:
            yield here

    @classmethod
    @asynccontextmanager
    async def _part(
        cls,
        reader: MemoryReader,
        room: Room,
        entry: ParticipantJoined,
        model: Model | None = None,
    ) -> AsyncIterator[Self]:
        here = cls(reader, room, entry, model)
        await here._sit_down()
        try:
            yield here
        finally:
            with anyio.CancelScope(shield=True):
                await here._turns.aclose()
                await here._stand_up()

    async def __aiter__(self) -> AsyncIterator[HeardMessage]:
        """What others say from joining on, as it comes, until the session is closed."""
        async with aclosing(self._hearing.rounds()) as rounds:
            async for messages in rounds:
                await self._keep_seat()
                for message in messages:
                    yield message
