"""Who waits, in which session: each caller once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import anyio

from parley.server.http.live.client_queue import Ending

Key = tuple[str, str]  # name, session

SUPERSEDED: Final = "superseded"


class PendingWait:
    """One wait. `ended` says why it was cut short."""

    __slots__ = ("_scope", "ended")

    def __init__(self) -> None:
        self.ended: str | None = None
        self._scope: anyio.CancelScope | None = None

    @contextmanager
    def bound_by(self, scope: anyio.CancelScope) -> Iterator[None]:
        """Have `scope` be cancelled as soon as the wait is ended."""
        self._scope = scope
        if self.ended is not None:
            scope.cancel()
        try:
            yield
        finally:
            self._scope = None

    def end(self, why: Ending | str) -> None:
        """Cut the wait short; the first reason stands."""
        if self.ended is None:
            self.ended = why
            if self._scope is not None:
                self._scope.cancel()

    def beat(self) -> None:
        """Time passed: nothing that a wait has to say."""


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
