"""News that may come again: an event that is cleared by whoever acts on it."""

from __future__ import annotations

import anyio


class Signal:
    """Set by whoever has news, cleared before looking; `anyio.Event` can be set only once."""

    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = anyio.Event()

    def set(self) -> None:
        self._event.set()

    def clear(self) -> None:
        if self._event.is_set():
            self._event = anyio.Event()

    async def wait(self) -> None:
        """Returns once it is set; at once if it is."""
        await self._event.wait()
