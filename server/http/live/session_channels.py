"""A room per session that somebody of this process watches or sits in."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final
from weakref import WeakValueDictionary

import structlog

from parley.bus import Bus
from parley.bus.connection.tasks import cancel_and_wait
from parley.bus.contract.errors import BusError, SessionNotFound
from parley.listeners.agents.arbiter import Arbiter
from parley.listeners.history.moments import Moments
from parley.listeners.rooms.log_port import BusDoor
from parley.listeners.rooms.room import Room, entered
from parley.listeners.votes.teller import Teller
from parley.memory.state.memory import Packs
from parley.server.http.live.session_channel import FOLDS, SessionChannel

AGAIN_SECONDS: Final = 0.5  # before an arbiter that Redis failed looks again
NOTICED_SECONDS: Final = 5.0  # for a room to hear that its session is gone: one look at the log

Kind = type[Arbiter] | type[Teller]

log = structlog.get_logger("parley.rooms")


class SessionChannels:
    """Shared and counted. A room with agents and a floor has an arbiter here.

    Any other has, while votes run in it, somebody who counts them, and is kept so long.
    """

    def __init__(
        self, bus: Bus, packs: Packs, moments: Moments, linger_seconds: float = 30.0
    ) -> None:
        self._bus, self._packs, self._moments = bus, packs, moments
        self._linger_seconds = linger_seconds
        self._held: dict[str, _LiveSession] = {}
        self._opening = WeakValueDictionary[str, asyncio.Lock]()  # for as long as someone waits
        self._folds = asyncio.Semaphore(FOLDS)
        self._closing: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def room(self, session: str) -> AsyncIterator[Room]:
        """Kept for `linger_seconds` after the last left it. Raises `SessionNotFound`."""
        held = await self._taken(session)
        try:
            yield held.room
        finally:
            held.users -= 1
            if not held.users:
                self._linger(held)

    async def mind(self, session: str) -> None:
        """Have the room here, so that its votes end in time though nobody watches them."""
        async with self.room(session):
            pass

    def held(self, session: str) -> Room | None:
        """The room, where there is one: its memory is live, read it between two awaits."""
        held = self._held.get(session)
        return None if held is None else held.room

    def channel(self, session: str) -> SessionChannel:
        """The live stream, inside `room(session)`. Raises `SessionNotFound` once it is over."""
        if session not in self._held:
            raise SessionNotFound(session)
        return self._held[session].channel

    def nudge(self, session: str) -> None:
        """Something was published here: the room need not wait for Redis to say so."""
        self._bus.nudge(session)

    async def removed(self, session: str) -> None:
        """Return once the room of a session that is gone is over, and its seats with it.

        Another of that name may be opened the next moment: nobody is taken over into it.
        """
        held = self._held.get(session)
        if held is not None and held.minding is not None:
            await asyncio.wait({held.minding}, timeout=NOTICED_SECONDS)
            self._let_go(held)

    async def aclose(self) -> None:
        """Leave every room."""
        for held in list(self._held.values()):
            self._let_go(held)
        while self._closing:
            await asyncio.wait(self._closing)

    async def _taken(self, session: str) -> _LiveSession:
        """The room with one user more, opened where it is not."""
        lock = self._opening.setdefault(session, asyncio.Lock())
        async with lock:
            held = self._held.get(session)
            if held is None:
                held = await self._opened(session)
            held.users += 1
            if held.timer is not None:
                held.timer.cancel()
                held.timer = None
            return held

    async def _opened(self, session: str) -> _LiveSession:
        async with AsyncExitStack() as stack:
            room = await stack.enter_async_context(
                entered(BusDoor(self._bus, self._packs, session))
            )
            channel = SessionChannel(room, self._moments, self._folds)
            held = self._held[session] = _LiveSession(room, channel, stack.pop_all())
        held.minding = asyncio.create_task(self._mind(held), name=f"parley-mind-{session}")
        return held

    def _linger(self, held: _LiveSession) -> None:
        if self._held.get(held.room.session) is not held:
            return  # it was let go of while somebody was in it
        loop = asyncio.get_running_loop()
        held.timer = loop.call_later(self._linger_seconds, self._leave, held)

    def _leave(self, held: _LiveSession) -> None:
        """Let it go, unless votes run: then look again later."""
        if held.room.memory.votes.running:
            self._linger(held)
        else:
            self._let_go(held)

    def _let_go(self, held: _LiveSession) -> None:
        """Forget it at once; what ends it goes on by itself."""
        if self._held.get(held.room.session) is held:
            del self._held[held.room.session]
            if held.timer is not None:
                held.timer.cancel()
            task = asyncio.create_task(held.aclose())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def _mind(self, held: _LiveSession) -> None:
        """Have somebody at work while one is needed; tell everybody where the room fails."""
        room = held.room
        try:
            while True:
                seq = room.seq
                held.put_to_work(needed_worker(room))
                await room.moved(seq)
        except Exception as error:  # whatever ended it: a session that is gone, a log unreadable
            log.warning("room_ended", session=room.session, reason=str(error))
            held.channel.end("gone")
            self._let_go(held)


class _LiveSession:
    """A room, who uses it, and what works in it."""

    def __init__(self, room: Room, channel: SessionChannel, stack: AsyncExitStack) -> None:
        self.room, self.channel = room, channel
        self.users = 0
        self.timer: asyncio.TimerHandle | None = None
        self.minding: asyncio.Task[None] | None = None
        self._stack = stack
        self._worker: asyncio.Task[None] | None = None
        self._kind: Kind | None = None

    @property
    def at_work(self) -> Kind | None:
        """What works in it now."""
        return None if self._worker is None or self._worker.done() else self._kind

    def put_to_work(self, wanted: Kind | None) -> None:
        """Have one of that kind at work, and nobody else."""
        if wanted is self.at_work:
            return
        if self._worker is not None:
            self._worker.cancel()
        self._kind, self._worker = wanted, None
        if wanted is not None:
            name = f"parley-{wanted.__name__.lower()}-{self.room.session}"
            self._worker = asyncio.create_task(run_worker(self.room, wanted), name=name)

    async def aclose(self) -> None:
        await cancel_and_wait(*(task for task in (self.minding, self._worker) if task is not None))
        await self._stack.aclose()


def needed_worker(room: Room) -> Kind | None:
    """Who is to be at work there: an arbiter, who counts votes too, or a teller alone."""
    memory = room.memory
    if memory.closed is not None:
        return None
    seats = memory.floor.seats.values()
    if memory.settings.floor.policy != "open" and any(
        seat.present and seat.role == "agent" for seat in seats
    ):
        return Arbiter
    return Teller if memory.votes.running else None


async def run_worker(room: Room, kind: Kind) -> None:
    """Work until there is nothing more to do, through outages of Redis."""
    nonce = secrets.token_hex(6)
    while room.memory.closed is None:
        try:
            await kind(room, nonce).run()
            return
        except BusError as error:
            log.warning("arbiter_waits", session=room.session, reason=str(error))
            await asyncio.sleep(AGAIN_SECONDS)
