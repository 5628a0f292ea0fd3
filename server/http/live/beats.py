"""What the followers of a session are told every few seconds: that all goes on, and who is away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import anyio

from parley.bus import Bus
from parley.bus.connection.tasks import Child, TaskHost
from parley.bus.contract.errors import BusError
from parley.listeners.rooms.room import Room
from parley.server.http.live.client_queue import ClientQueue
from parley.server.http.live.frames import notice_frame
from parley.server.http.live.task_deaths import log_death
from parley.server.http.tokens.callers import Caller

EVERY_SECONDS: Final = 4.0
ANSWER_SECONDS: Final = 2.0  # that Redis may take before it is said not to answer
AWAY_MS: Final = 15_000  # without a stream of theirs, in any process
_AT_ONCE: Final = 16  # sessions that are noted at a time


class Beats:
    """A `beat` says whether Redis takes what is written, and who followed and follows no more.

    Who takes no part (an operator, an observer) hears them and is never told of. What is
    known of a session is what all processes noted of it.
    """

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._followers: dict[str, dict[ClientQueue, str]] = {}  # with their names, "" for none
        self._away: dict[str, list[str]] = {}  # as it was known last
        self._fresh: set[str] = set()  # sessions with a follower that heard no beat yet
        self._came = anyio.Event()
        self._host = TaskHost("parley-beats", log_death)
        self._beating: Child | None = None

    @contextmanager
    def follow(self, room: Room, outlet: ClientQueue, caller: Caller) -> Iterator[None]:
        """Have `outlet` told while the body runs; the first beat comes at once."""
        name = room.memory.named(caller.name) if caller.role in ("person", "agent") else ""
        session = room.session
        self._followers.setdefault(session, {})[outlet] = name
        self._fresh.add(session)
        self._came.set()
        if self._beating is None or self._beating.is_over:
            self._beating = self._host.start("parley-beats", self._beat)
        try:
            yield
        finally:
            del self._followers[session][outlet]
            if not self._followers[session]:
                del self._followers[session]
                self._away.pop(session, None)

    async def aclose(self) -> None:
        await self._host.aclose()

    async def _beat(self) -> None:
        next_round = anyio.current_time()
        while self._followers:
            if (now := anyio.current_time()) >= next_round:
                next_round = now + EVERY_SECONDS
                await self._tell(list(self._followers))
            else:
                await self._tell([name for name in self._fresh if name in self._followers])
            with anyio.CancelScope(deadline=next_round):
                await self._came.wait()

    async def _tell(self, sessions: list[str]) -> None:
        self._fresh.difference_update(sessions)
        self._came = anyio.Event()
        try:
            with anyio.fail_after(ANSWER_SECONDS):
                now_ms = await self._bus.now_ms()
        except (BusError, TimeoutError):
            for session in sessions:
                self._put(session, redis=False)
            return
        slots = anyio.Semaphore(_AT_ONCE)
        async with anyio.create_task_group() as group:
            for session in sessions:
                group.start_soon(self._note, session, now_ms, slots)

    async def _note(self, session: str, now_ms: int, slots: anyio.Semaphore) -> None:
        async with slots:
            names = set(self._followers.get(session, {}).values()) - {""}
            try:
                with anyio.fail_after(ANSWER_SECONDS):
                    away = await self._bus.attend(session, names, now_ms=now_ms, away_ms=AWAY_MS)
                if session in self._followers:  # else the last has gone meanwhile
                    self._away[session] = away
            except (BusError, TimeoutError):
                self._put(session, redis=False)
            else:
                self._put(session, redis=True)

    def _put(self, session: str, *, redis: bool) -> None:
        frame = notice_frame("beat", redis=redis, away=self._away.get(session, []))
        for outlet in self._followers.get(session, {}):
            outlet.put(frame)
