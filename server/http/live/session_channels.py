"""A room per session that somebody of this process watches or sits in."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final
from weakref import WeakValueDictionary

import anyio

from parley.bus.connection.event_log import EventLog
from parley.bus.connection.tasks import Child, TaskHost
from parley.bus.contract.errors import BusError, SessionNotFound
from parley.listeners.agents.arbiter import Arbiter
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.history.moments import History
from parley.listeners.rooms.log_port import RedisLog
from parley.listeners.rooms.room import Room, enter_room
from parley.listeners.votes.teller import VoteTeller
from parley.server.http.live.session_channel import FOLDS, SessionChannel
from parley.server.http.live.task_deaths import log_death

AGAIN_SECONDS: Final = 0.5  # before an arbiter that Redis failed looks again
_NOTICED_SECONDS: Final = 5.0  # for a room to hear that its session is gone: one look at the log

Kind = type[Arbiter] | type[VoteTeller]

log = EventLog("parley.rooms")


class SessionChannels:
    """Shared and counted. A room with agents and a floor has an arbiter here.

    Any other has, while votes run in it, somebody who counts them, and is kept so long.
    """

    def __init__(
        self, reader: MemoryReader, moments: History, linger_seconds: float = 30.0
    ) -> None:
        self._reader, self._moments = reader, moments
        self._linger_seconds = linger_seconds
        self._live_sessions: dict[str, _LiveSession] = {}
        self._opening = WeakValueDictionary[str, anyio.Lock]()  # for as long as someone waits
        self._folds = anyio.Semaphore(FOLDS)
        self._host = TaskHost("parley-rooms", log_death)
        self._closing: set[Child] = set()

    @asynccontextmanager
    async def room(self, session: str) -> AsyncIterator[Room]:
        """Kept for `linger_seconds` after the last left it. Raises `SessionNotFound`."""
        live_session = await self._acquire(session)
        try:
            yield live_session.room
        finally:
            live_session.users -= 1
            if not live_session.users:
                self._linger(live_session)

    async def keep_alive(self, session: str) -> None:
        """Have the room here, so that its votes end in time though nobody watches them."""
        async with self.room(session):
            pass

    def current(self, session: str) -> Room | None:
        """The room, where there is one: its memory is live, read it between two awaits."""
        live_session = self._live_sessions.get(session)
        return None if live_session is None else live_session.room

    def channel(self, session: str) -> SessionChannel:
        """The live stream, inside `room(session)`. Raises `SessionNotFound` once it is over."""
        if session not in self._live_sessions:
            raise SessionNotFound(session)
        return self._live_sessions[session].channel

    def nudge(self, session: str) -> None:
        """Something was published here: the room need not wait for Redis to say so."""
        self._reader.bus.nudge(session)

    async def wait_removed(self, session: str) -> None:
        """Return once the room of a session that is gone is over, and its seats with it.

        Another of that name may be opened the next moment: nobody is taken over into it.
        """
        live_session = self._live_sessions.get(session)
        if live_session is not None and live_session.minding is not None:
            with anyio.move_on_after(_NOTICED_SECONDS):
                await live_session.minding.wait()
            self._release(live_session)

    async def aclose(self) -> None:
        """Leave every room."""
        with anyio.CancelScope(shield=True):
            for live_session in list(self._live_sessions.values()):
                self._release(live_session)
            for child in list(self._closing):
                await child.wait()
            await self._host.aclose()

    async def _acquire(self, session: str) -> _LiveSession:
        """The room with one user more, opened where it is not."""
        lock = self._opening.setdefault(session, anyio.Lock())
        async with lock:
            live_session = self._live_sessions.get(session)
            if live_session is None:
                live_session = await self._open(session)
            live_session.users += 1
            live_session.stop_lingering()
            return live_session

    async def _open(self, session: str) -> _LiveSession:
        async with AsyncExitStack() as stack:
            room = await stack.enter_async_context(enter_room(RedisLog(self._reader, session)))
            channel = SessionChannel(room, self._moments, self._folds)
            live_session = self._live_sessions[session] = _LiveSession(
                room, channel, stack.pop_all(), self._host
            )
        live_session.minding = self._host.start(
            f"parley-mind-{session}", self._supervise, live_session
        )
        return live_session

    def _linger(self, live_session: _LiveSession) -> None:
        if self._live_sessions.get(live_session.room.session) is not live_session:
            return  # it was let go of while somebody was in it
        live_session.lingering = self._host.start(
            f"parley-linger-{live_session.room.session}", self._leave, live_session
        )

    async def _leave(self, live_session: _LiveSession) -> None:
        """Let it go after a while, and after its votes."""
        while True:
            await anyio.sleep(self._linger_seconds)
            if live_session.users:
                return None  # who came just now may have been too late to cancel this
            if not live_session.room.memory.votes.running:
                return self._release(live_session)

    def _release(self, live_session: _LiveSession) -> None:
        """Forget it at once; what ends it goes on by itself."""
        if self._live_sessions.get(live_session.room.session) is live_session:
            del self._live_sessions[live_session.room.session]
            live_session.stop_lingering()
            name = f"parley-close-{live_session.room.session}"
            child = self._host.start(name, live_session.aclose)
            self._closing = {other for other in self._closing if not other.is_over} | {child}

    async def _supervise(self, live_session: _LiveSession) -> None:
        """Have somebody at work while one is needed; tell everybody where the room fails."""
        room = live_session.room
        try:
            while True:
                seq = room.seq
                live_session.set_worker(_needed_worker(room))
                await room.wait_past(seq)
        except Exception as error:  # whatever ended it: a session that is gone, a log unreadable
            log.warning("room_ended", session=room.session, reason=str(error))
            live_session.channel.end("gone")
            self._release(live_session)


class _LiveSession:
    """A room, who uses it, and what works in it."""

    def __init__(
        self, room: Room, channel: SessionChannel, stack: AsyncExitStack, host: TaskHost
    ) -> None:
        self.room, self.channel = room, channel
        self.users = 0
        self.lingering: Child | None = None  # after the last user
        self.minding: Child | None = None
        self._stack, self._host = stack, host
        self._worker: Child | None = None
        self._kind: Kind | None = None

    @property
    def worker_kind(self) -> Kind | None:
        """What works in it now."""
        return None if self._worker is None or self._worker.is_over else self._kind

    def set_worker(self, wanted: Kind | None) -> None:
        """Have one of that kind at work, and nobody else."""
        if wanted is self.worker_kind:
            return
        if self._worker is not None:
            self._worker.cancel()
        self._kind, self._worker = wanted, None
        if wanted is not None:
            name = f"parley-{wanted.__name__.lower()}-{self.room.session}"
            self._worker = self._host.start(name, run_worker, self.room, wanted)

    def stop_lingering(self) -> None:
        if self.lingering is not None:
            self.lingering.cancel()
            self.lingering = None

    async def aclose(self) -> None:
        for child in (self.minding, self._worker):
            if child is not None:
                await child.aclose()
        await self._stack.aclose()


def _needed_worker(room: Room) -> Kind | None:
    """Who is to be at work there: an arbiter, who counts votes too, or a teller alone."""
    memory = room.memory
    if memory.closed is not None:
        return None
    seats = memory.floor.seats.values()
    if memory.settings.floor.policy != "open" and any(
        seat.present and seat.role == "agent" for seat in seats
    ):
        return Arbiter
    return VoteTeller if memory.votes.running else None


async def run_worker(room: Room, kind: Kind) -> None:
    """Work until there is nothing more to do, through outages of Redis."""
    nonce = secrets.token_hex(6)
    while room.memory.closed is None:
        try:
            await kind(room, nonce).run()
            return
        except BusError as error:
            log.warning("arbiter_waits", session=room.session, reason=str(error))
            await anyio.sleep(AGAIN_SECONDS)
