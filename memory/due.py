"""The work that memory is owed: what must be done, and what a model could better. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice

from parley.memory import comparisons, condensed, reflections, summaries
from parley.memory.claims import ranges
from parley.memory.effects import Compare, Condense, Effect, Extract, Reflect
from parley.memory.state import Memory

Upgrade = Effect | Reflect | Condense | Compare | Extract


def due(memory: Memory, most: int | None = None) -> tuple[Effect, ...]:
    """The summaries that `memory` is owed now; anyone can make them (`summaries.due`)."""
    return summaries.due(memory, most)


def upgrades(memory: Memory, most: int | None = None) -> tuple[Upgrade, ...]:
    """What only a model can do, in turn: notes, shorter forms, likeness, summaries, readings.

    All of it, or the first `most`. Pure, like `due`: running one twice is harmless.
    """
    wanted: Iterable[Upgrade] = chain(
        reflections.owed(memory),
        condensed.owed(memory),
        comparisons.owed(memory),
        summaries.upgrades(memory, most),
        ranges.owed(memory),
    )
    return tuple(islice(wanted, most))


def upgrade(memory: Memory, id: str) -> Upgrade | None:
    """The upgrade of that id, None where it is not wanted any more."""
    return next((wanted for wanted in upgrades(memory) if wanted.id == id), None)
