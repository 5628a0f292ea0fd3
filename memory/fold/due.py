"""The work that memory is owed: what must be done, and what a model could better. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice

from parley.memory.extraction.model_claims import reading_ranges
from parley.memory.items import embedding_comparisons
from parley.memory.notebooks import reflections
from parley.memory.state.effects import Compare, Condense, Effect, Extract, Reflect
from parley.memory.state.memory import Memory
from parley.memory.summaries import range_summaries, short_forms

Upgrade = Effect | Reflect | Condense | Compare | Extract


def due(memory: Memory, most: int | None = None) -> tuple[Effect, ...]:
    """The summaries that `memory` is owed now; anyone can make them (`range_summaries.due`)."""
    return range_summaries.due(memory, most)


def upgrades(memory: Memory, most: int | None = None) -> tuple[Upgrade, ...]:
    """What only a model can do, in turn: notes, shorter forms, likeness, summaries, readings.

    All of it, or the first `most`. Pure, like `due`: running one twice is harmless.
    """
    wanted: Iterable[Upgrade] = chain(
        reflections.owed(memory),
        short_forms.owed(memory),
        embedding_comparisons.owed(memory),
        range_summaries.upgrades(memory, most),
        reading_ranges.owed(memory),
    )
    return tuple(islice(wanted, most))


def upgrade(memory: Memory, id: str) -> Upgrade | None:
    """The upgrade of that id, None where it is not wanted any more."""
    return next((wanted for wanted in upgrades(memory) if wanted.id == id), None)
