"""The live stream of one room: the newest frames, and those who listen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from listeners.moments import Moments
from listeners.rooms.room import Room
from server.gateway.frames import Group
from server.gateway.outlet import Outlet


class Channel:
    """A hearer of `room`; everybody who listens shares its frames."""

    def __init__(self, room: Room, moments: Moments) -> None:
        self._room, self._moments = room, moments

    @asynccontextmanager
    async def listen(
        self,
        after: int | None,
        show: frozenset[Group] | None = None,
        *,
        facts: bool = True,
    ) -> AsyncIterator[Outlet]:
        """Every entry after seq `after` once, in order; None: from now on."""
        raise NotImplementedError
        yield Outlet()
