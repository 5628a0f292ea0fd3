"""Who waits, in which session: each caller once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from parley.server.http.live.client_queue import Ending

Key = tuple[str, str]  # name, session

SUPERSEDED: Final = "superseded"


class PendingWait:
    """One wait. `ended` says why it was cut short."""

    __slots__ = ("_limit", "ended")

    def __init__(self) -> None:
        self.ended: str | None = None
        self._limit: asyncio.Timeout | None = None

    @contextmanager
    def bound_by(self, limit: asyncio.Timeout) -> Iterator[None]:
        """Have `limit` be over as soon as the wait is ended."""
        self._limit = limit
        if self.ended is not None:
            self._cut()
        try:
            yield
        finally:
            self._limit = None

    def end(self, why: Ending | str) -> None:
        """Cut the wait short; the first reason stands."""
        if self.ended is None:
            self.ended = why
            self._cut()

    def beat(self) -> None:
        """Time passed: nothing that a wait has to say."""

    def _cut(self) -> None:
        if self._limit is not None and not self._limit.expired():
            self._limit.reschedule(asyncio.get_running_loop().time())


class PendingWaits:
    """A second wait of a caller in a session ends the first."""

    def __init__(self) -> None:
        self._standing: dict[Key, PendingWait] = {}

    @contextmanager
    def replace(self, key: Key) -> Iterator[PendingWait]:
        """A wait under `key`; the one that stood under it is superseded."""
        before = self._standing.get(key)
        if before is not None:
            before.end(SUPERSEDED)
        wait = self._standing[key] = PendingWait()
        try:
            yield wait
        finally:
            if self._standing.get(key) is wait:
                del self._standing[key]
