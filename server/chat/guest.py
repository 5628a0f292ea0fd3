"""A person in a session: what is said is shown as it comes, what is typed is said."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from typing import Final

import anyio

from parley.bus import Bus
from parley.bus.connection.task_groups import run_beside
from parley.bus.contract.drafts import validate_entry
from parley.bus.contract.errors import BusError, StaleEpoch
from parley.bus.entries import Entry, ParticipantJoined
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.rooms.log_port import RedisLog
from parley.listeners.rooms.participant import Participant, Superseded
from parley.listeners.rooms.room import enter_room
from parley.memory.arbitration.session_end import sum_up_session
from parley.memory.context.context import Request, assemble
from parley.memory.errors import DomainError
from parley.memory.state.memory import Memory
from parley.memory.voice import is_voice
from parley.server.basics.errors import Failure, Misuse, Refused
from parley.server.basics.look_alikes import check_look_alike
from parley.server.chat.screen import Screen
from parley.server.chat_commands.capabilities import check_allowed
from parley.server.chat_commands.command_parser import help_lines, parse
from parley.server.chat_commands.typed_line import Close, Command, Publish, Quit, Show, View
from parley.server.render.session_text import view_lines
from parley.server.runtime.connection import open_connection
from parley.server.runtime.packs import read_packs
from parley.server.settings import Settings
from parley.server.telemetry.otlp_export import open_telemetry

RECENT: Final = 10  # messages that a newcomer is shown


async def join(
    settings: Settings, session: str, name: str, may: Sequence[str] | None, *, as_json: bool,
    force: bool = False,
) -> None:  # fmt: skip
    """Takes a seat as `name`, and leaves it at the end of what is typed; the session goes on.

    Raises `Misuse` for a name that looks like another's, without `force`; `Failure` where
    something typed from a pipe was refused, once all of it was done.
    """
    screen = Screen(as_json=as_json)
    packs = read_packs(settings.packs).known
    async with (
        open_telemetry(settings.telemetry, "parley-chat"),
        open_connection(settings) as running,
        enter_room(RedisLog(MemoryReader(running.bus, packs), session)) as room,
    ):
        if not force:
            check_look_alike(room.memory, name, "--force joins all the same")
        me = Participant(room, name, secrets.token_hex(6))
        joined = _seat(room.memory, name, me.nonce, may)
        for record in list(room.recent)[-RECENT:]:
            screen.entry(record, ())
        room.add_listener(screen.entry)
        await me.publish(me.draft("join", joined))
        guest = Guest(running.bus, me, joined, screen)
        try:
            await guest.stay(screen.lines(name, lambda: room.memory))
        finally:
            with anyio.CancelScope(shield=True):
                await guest.leave()
    screen.check()


def _seat(memory: Memory, name: str, nonce: str, may: Sequence[str] | None) -> ParticipantJoined:
    """The seat that is taken: what the session has for that name, or a person's."""
    if is_voice(name):
        raise Misuse(f"{name!r} is the server's own voice; join under another name")
    seat = memory.floor.seats.get(memory.named(name))
    rights = None if may is None else tuple(may)
    if seat is None:
        return validate_entry(ParticipantJoined, participant=name, seat=nonce, may=rights)
    if seat.role == "agent":
        raise Misuse(f"{name!r} is an agent of this session; join under another name")
    return validate_entry(
        ParticipantJoined, participant=name, seat=nonce, role=seat.role,
        interests=seat.interests, may=seat.may if rights is None else rights, weight=seat.weight,
    )  # fmt: skip


class Guest:
    """Whoever sits at the keyboard, as `me`."""

    def __init__(
        self, bus: Bus, me: Participant, joined: ParticipantJoined, screen: Screen
    ) -> None:
        self._bus, self._me, self._joined, self._screen = bus, me, joined, screen

    async def stay(self, typed: AsyncGenerator[str]) -> None:
        """Does what is typed until it ends, until `/quit`, or until the session closes.

        What was begun by then is done to its end. Raises `Failure` where another process
        joined under the name.
        """
        with anyio.CancelScope() as staying:
            async with run_beside(self._end_with_session, staying), aclosing(typed):
                async for line in typed:
                    with anyio.CancelScope(shield=True):
                        goes_on = await self.typed(line)
                    if not goes_on:
                        return

    async def typed(self, line: str) -> bool:
        """Does what `line` says, or shows why not; False for a `/quit`."""
        try:
            command = parse(line, self._me.name, self._me.memory)
            if command is not None:
                self._check(command)
                await self._do(command)
        except (Refused, BusError, DomainError) as refused:
            self._screen.refused(str(refused))
            return True
        return not isinstance(command, Quit)

    async def leave(self) -> None:
        """Gives the seat up, where it is still ours to give."""
        seat = self._me.seat
        if self._me.memory.closed is None and seat is not None and seat.seat == self._me.nonce:
            with suppress(BusError):  # closed, or away: we leave anyway
                await self._me.leave()

    def _check(self, command: Command) -> None:
        needs = command.needs if isinstance(command, Publish | Close) else ""
        check_allowed(self._me.memory, self._me.name, needs)

    async def _do(self, command: Command) -> None:
        if isinstance(command, Publish):
            await self._publish(command.entries)
        elif isinstance(command, Close):
            await self._bus.close(
                self._me.room.session, command.reason, self._me.name,
                totals=sum_up_session(self._me.memory),
            )  # fmt: skip
        elif isinstance(command, Show):
            self._screen.view(command.view, self._told(command.view))

    async def _publish(self, entries: Sequence[Entry]) -> None:
        try:
            await self._me.publish(*(self._me.draft("join", entry) for entry in entries))
        except StaleEpoch:
            raise Failure("the floor moved on meanwhile; see /floor, and say it again") from None

    def _told(self, view: View) -> list[str]:
        memory = self._me.memory
        if view == "help":
            return help_lines()
        if view == "context":
            request = Request(participant=self._me.name, recent=tuple(self._me.room.talk))
            return assemble(memory, request).text.splitlines()
        return view_lines(memory, view)

    async def _end_with_session(self, staying: anyio.CancelScope) -> None:
        """Cancels `staying` when the session closes; keeps the seat until then."""
        me = self._me
        while me.memory.closed is None:
            seq = me.room.seq
            if me.seat is None:
                await me.publish(me.draft("join", self._joined))
            try:
                me.check_seat()
            except Superseded as error:
                raise Failure(str(error)) from None
            await me.room.wait_past(seq)
        staying.cancel()
