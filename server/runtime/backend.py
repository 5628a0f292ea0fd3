"""What a process that answers many questions keeps between them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Self

from parley.bus import Bus
from parley.listeners.cache.memory_cache import Progress, say_nothing
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.sessions.session_client import SessionClient
from parley.server.runtime.connection import open_connection
from parley.server.runtime.packs import Packs, read_packs
from parley.server.settings import Settings


@dataclass(frozen=True, slots=True)
class Backend:
    """A bus, packs, and one reader for all questions: its copies are folded once."""

    bus: Bus
    packs: Packs
    reader: MemoryReader

    @classmethod
    def of(cls, bus: Bus, packs: Packs, progress: Progress = say_nothing) -> Self:
        """With a reader that has read nothing yet, and calls `progress` as it reads."""
        return cls(bus, packs, MemoryReader(bus, packs.known, progress=progress))

    def session(self, session: str, participant: str = "") -> SessionClient:
        """`session` in the hands of `participant`, without a seat."""
        return SessionClient(self.bus, self.packs.known, session, participant, reader=self.reader)


@asynccontextmanager
async def open_backend(
    settings: Settings, progress: Progress = say_nothing
) -> AsyncIterator[Backend]:
    """Connected for as long as the body runs: what a command of one question needs.

    Raises `Misuse` for a pack that cannot be read.
    """
    async with open_connection(settings) as running:
        yield Backend.of(running.bus, read_packs(settings.packs), progress)
