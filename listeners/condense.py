"""Have a model put in few words what memory could only clip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from bus.entries import Record, TextCondensed
from listeners.model import Model
from memory.items import Condense
from memory.state import Memory


@dataclass(frozen=True, slots=True)
class Condensing:
    """One text to be shortened."""

    effect: Condense
    first: int
    last: int

    @classmethod
    def of(cls, memory: Memory, effect: Condense) -> Self:
        raise NotImplementedError

    async def run(self, model: Model, records: Sequence[Record]) -> TextCondensed:
        raise NotImplementedError
