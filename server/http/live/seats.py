"""Who sits where through this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import Final, TypedDict, cast
from weakref import WeakKeyDictionary, WeakValueDictionary

import anyio

from parley.bus.connection.event_log import EventLog
from parley.bus.connection.tasks import Child, TaskHost
from parley.bus.entries import Listens
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.rooms.participant import Superseded
from parley.listeners.rooms.room import Room
from parley.listeners.sessions.session import Session
from parley.server.http.live.session_channels import SessionChannels
from parley.server.http.live.task_deaths import log_death
from parley.server.http.tokens.callers import Caller

LOOK_SECONDS: Final = 15.0  # between two looks for idle seats

log = EventLog("parley.seats")


class _Joining(TypedDict, total=False):
    interests: Sequence[str]
    listens: Listens
    answer_seconds: int


class Seats:
    """By session and canonical name. A seat idle for `idle_minutes` is given up."""

    def __init__(
        self,
        reader: MemoryReader,
        rooms: SessionChannels,
        idle_minutes: float,
        clock: Callable[[], float],
    ) -> None:
        self.outlast = False  # where true, seats of `resume` outlive this process
        self._reader, self._rooms = reader, rooms
        self._idle_seconds, self._clock = idle_minutes * 60, clock
        self._taken: dict[str, list[_Seat]] = {}
        self._taking = WeakValueDictionary[str, anyio.Lock]()
        self._turns = WeakKeyDictionary[Session, anyio.Lock]()
        self._host = TaskHost("parley-seats", log_death)
        self._looking: Child | None = None

    async def take(
        self,
        caller: Caller,
        session: str,
        *,
        description: str = "",
        interests: Sequence[str] = (),
        listens: Listens = "speaks",
        answer_seconds: int | None = None,
    ) -> Session:
        """The caller's seat, taken now or there already. Raises `Superseded` where it was lost.

        It has the role and the powers of the caller's token. A seat that is there stays as
        it was taken.
        """
        role = caller.seat_role
        lock = self._taking.setdefault(session, anyio.Lock())
        async with lock:
            if (there := self.find(caller.name, session, role)) is not None:
                return there
            async with AsyncExitStack() as stack:
                room = await stack.enter_async_context(self._rooms.room(session))
                joining = Session.within(
                    room, self._reader, caller.name, role=role, description=description,
                    interests=interests, may=caller.may, listens=listens,
                    answer_seconds=answer_seconds,
                )  # fmt: skip
                joined = await stack.enter_async_context(joining)
                seat = _Seat(joined, room, stack.pop_all(), self._clock())
            self._taken.setdefault(session, []).append(seat)
            self._start_idle_check()
            return joined

    async def resume(self, caller: Caller, session: str) -> Session:
        """The caller's seat; where there is none, one as they sat there before, if they did.

        For callers that never asked for one. Raises `Superseded` where it was lost.
        """
        if (there := self.find(caller.name, session, caller.seat_role)) is not None:
            return there
        async with self._rooms.room(session) as room:
            before = room.memory.floor.seats.get(room.memory.named(caller.name))
            given: _Joining = {}
            if before is not None:
                given = {"interests": before.interests, "listens": cast("Listens", before.listens)}
                if before.answer_ms is not None:
                    given["answer_seconds"] = -(-before.answer_ms // 1000)
            seat = await self.take(caller, session, **given)
        seat.stays = self.outlast
        return seat

    def find(self, name: str, session: str, role: str | None = None) -> Session | None:
        """The seat of `name`; asking for it keeps it from being given up.

        Raises `Superseded`, once, where another process took it over; always where it is
        not one of `role`: an agent does not pass the floor by a person's seat.
        """
        seat = self._seat(name, session)
        if seat is None:
            return None
        if role is not None and seat.session.role != role:
            raise Superseded(name)
        seat.used = self._clock()
        if seat.session.superseded:
            self._drop(session, seat)
            raise Superseded(name)
        return seat.session

    def speech_lock(self, seat: Session) -> anyio.Lock:
        """Held by whoever has that seat say something: it has one turn at a time."""
        return self._turns.setdefault(seat, anyio.Lock())

    async def leave(self, name: str, session: str) -> bool:
        """Give it up; False where there was none."""
        seat = self._seat(name, session)
        if seat is None:
            return False
        await self._drop(session, seat).wait()
        return True

    async def aclose(self) -> None:
        """Leave every seat, but where a vote runs: a restart is to void nobody's ballot."""
        with anyio.CancelScope(shield=True):
            if self._looking is not None:
                await self._looking.aclose()
            for session, seats in list(self._taken.items()):
                for seat in list(seats):
                    seat.session.stays |= bool(seat.session.memory.votes.running)
                    self._drop(session, seat)
            for leaving in list(self._host.children):
                await leaving.wait()
            await self._host.aclose()

    def _seat(self, name: str, session: str) -> _Seat | None:
        """The seat in the room that there is: one in a room that is over went with it."""
        room = self._rooms.current(session)
        for seat in list(self._taken.get(session, ())):
            if seat.room is not room:
                self._drop(session, seat)
        for seat in self._taken.get(session, ()):
            named = seat.session.memory.named
            if named(seat.session.name) == named(name):
                return seat
        return None

    def _drop(self, session: str, seat: _Seat) -> Child:
        """Forget it at once; the child is what says so in the log."""
        self._taken[session].remove(seat)
        if not self._taken[session]:
            del self._taken[session]
        return self._host.start(f"parley-leave-{session}", _close_seat, seat)

    def _start_idle_check(self) -> None:
        if self._looking is None or self._looking.is_over:
            self._looking = self._host.start("parley-idle-seats", self._end_idle)

    async def _end_idle(self) -> None:
        while self._taken:
            await anyio.sleep(min(LOOK_SECONDS, self._idle_seconds / 4))
            now = self._clock()
            for session, seats in list(self._taken.items()):
                for seat in list(seats):
                    if now - seat.used >= self._idle_seconds:
                        log.info("seat_idle", session=session)
                        self._drop(session, seat)


class _Seat:
    """A part in a session, in a room of it, and when it was last used."""

    __slots__ = ("room", "session", "stack", "used")

    def __init__(self, session: Session, room: Room, stack: AsyncExitStack, used: float) -> None:
        self.session, self.room, self.stack, self.used = session, room, stack, used


async def _close_seat(seat: _Seat) -> None:
    try:
        await seat.stack.aclose()
    except Exception as error:  # the session is gone or unreadable: so is the seat
        log.warning("seat_lost", reason=str(error))
