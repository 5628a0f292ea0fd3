"""Models' shorter forms of what memory holds clipped: owed, landed, let go."""

from __future__ import annotations

from bus.entries import TextCondensed
from memory.items import Condense
from memory.moment import Moment
from memory.state import Memory


def land(moment: Moment, entry: TextCondensed) -> None:
    """Let a shorter form stand while memory holds what it is of."""


def owed(memory: Memory) -> list[Condense]:
    """The clipped texts that a model could put better, where the session wants a model's."""
    return []
