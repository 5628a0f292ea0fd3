"""A room per session that somebody of this process watches or sits in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bus import Bus
from listeners.moments import Moments
from listeners.rooms.room import Room
from memory.state import Packs
from server.gateway.channel import Channel


class Rooms:
    """Shared and counted. A room with agents and a floor has an arbiter here."""

    def __init__(
        self, bus: Bus, packs: Packs, moments: Moments, linger_seconds: float = 30.0
    ) -> None:
        self._bus, self._packs, self._moments = bus, packs, moments
        self._linger_seconds = linger_seconds

    @asynccontextmanager
    async def room(self, session: str) -> AsyncIterator[Room]:
        """Kept for `linger_seconds` after the last left it. Raises `SessionNotFound`."""
        raise NotImplementedError
        yield

    def held(self, session: str) -> Room | None:
        """The room, where there is one: its memory is live, read it between two awaits."""
        raise NotImplementedError

    def channel(self, session: str) -> Channel:
        """The live stream; only inside `room(session)`."""
        raise NotImplementedError

    def nudge(self, session: str) -> None:
        """Something was published here: the room need not wait for Redis to say so."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Leave every room."""
