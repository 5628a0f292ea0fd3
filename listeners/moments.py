"""Sessions as they were: checkpoints of memory, and what changed from one to the next."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Final

from bus import Bus
from bus.entries import Record
from memory.items import Fact
from memory.state import Memory, Packs

EVERY: Final = 128  # primary entries from one checkpoint to the next


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened at the `n`-th primary entry."""

    n: int
    kind: str
    ref: str
    participant: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """The whole course of a session; `done` permille of it while it is being made."""

    n: int
    every: int
    series: dict[str, list[int]]
    marks: tuple[Mark, ...]
    stances: tuple[tuple[int, str, str, str], ...]
    thinned: bool = False
    done: int = 1000


class Moments:
    """One a process. Checkpoints are built in slices, as they are first asked for."""

    def __init__(
        self, bus: Bus, packs: Packs, *, room_bytes: int = 64 << 20, slice: int = 64
    ) -> None:
        self._bus, self._packs = bus, packs
        self._room_bytes, self._slice = room_bytes, slice

    async def at(self, session: str, n: int) -> Memory:
        """The memory after the `n`-th primary entry, a copy of the caller's own."""
        raise NotImplementedError

    async def records(self, session: str, numbers: Iterable[int]) -> dict[int, Record]:
        """Primary entries by their `n`, in one round trip; those that are there."""
        raise NotImplementedError

    async def since(
        self, session: str, seq: int, to: int
    ) -> AsyncIterator[tuple[Record, list[Fact]]]:
        """Entries after `seq` up to `to`, with the facts that each of them gave."""
        raise NotImplementedError
        yield

    async def timeline(self, session: str) -> Timeline:
        """As far as it is made; asking for it makes the rest."""
        raise NotImplementedError

    def forget(self, session: str) -> None:
        """Let go of what is kept of it."""

    async def aclose(self) -> None:
        """Stop what is being built."""
