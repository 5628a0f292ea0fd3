"""Have a participant rewrite its notebook, and hold it to the limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from bus.entries import NoteRefused, NoteRevised, Record
from listeners.model import Model
from memory.items import Reflect
from memory.state import Memory


@dataclass(frozen=True, slots=True)
class Reflecting:
    """One reflection: what the participant had noted, and what happened since."""

    effect: Reflect
    first: int
    last: int

    @classmethod
    def of(cls, memory: Memory, effect: Reflect) -> Self:
        raise NotImplementedError

    async def run(self, model: Model, records: Sequence[Record]) -> NoteRevised | NoteRefused:
        raise NotImplementedError
