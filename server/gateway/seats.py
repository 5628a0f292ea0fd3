"""Who sits where through this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from bus import Bus
from listeners.rooms.session import Session
from server.gateway.identity import Caller
from server.gateway.rooms import Rooms


class Seats:
    """By session and canonical name. A seat idle for `idle_minutes` is given up."""

    def __init__(
        self, bus: Bus, rooms: Rooms, idle_minutes: float, clock: Callable[[], float]
    ) -> None:
        self._bus, self._rooms = bus, rooms
        self._idle_minutes, self._clock = idle_minutes, clock

    async def taken(
        self,
        caller: Caller,
        session: str,
        *,
        role: Literal["agent", "person"] = "agent",
        may: Sequence[str] | None = None,
        description: str = "",
        interests: Sequence[str] = (),
    ) -> Session:
        """The caller's seat, taken now or there already. Raises `Superseded` where it was lost."""
        raise NotImplementedError

    def of(self, name: str, session: str) -> Session | None:
        """The seat of `name`; asking for it keeps it from being given up."""
        raise NotImplementedError

    async def left(self, name: str, session: str) -> bool:
        """Give it up; False where there was none."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Leave every seat."""
