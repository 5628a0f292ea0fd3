"""One client's bounded queue of frames."""

from __future__ import annotations

from server.gateway.frames import Frame


class Outlet:
    """Nobody waits for it: over its limit it is dropped."""

    def put(self, frame: Frame) -> None:
        raise NotImplementedError

    async def frames(self) -> list[Frame]:
        """What is queued, at least one; waits for it."""
        raise NotImplementedError
