"""The work that memory is owed: what must be done, and what a model could better. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice

from parley.memory.exchanges import short_forms
from parley.memory.extraction.model_claims import reading_ranges
from parley.memory.items import embedding_comparisons
from parley.memory.notebooks import reflections
from parley.memory.state.effects import (
    ComparisonEffect,
    ReadingEffect,
    ReflectionEffect,
    ShortFormEffect,
    SummaryEffect,
)
from parley.memory.state.memory import Memory
from parley.memory.summaries import range_summaries

Upgrade = SummaryEffect | ReflectionEffect | ShortFormEffect | ComparisonEffect | ReadingEffect


def due_summaries(memory: Memory, most: int | None = None) -> tuple[SummaryEffect, ...]:
    """The summaries that `memory` is owed now; anyone can make them (`range_summaries.due`)."""
    return range_summaries.list_due_summaries(memory, most)


def list_upgrades(memory: Memory, most: int | None = None) -> tuple[Upgrade, ...]:
    """What only a model can do, in turn: notes, shorter forms, likeness, summaries, readings.

    All of it, or the first `most`. Pure, like `due_summaries`: running one twice is harmless.
    """
    wanted: Iterable[Upgrade] = chain(
        reflections.list_owed_reflections(memory),
        short_forms.list_owed_short_forms(memory),
        embedding_comparisons.list_owed_comparisons(memory),
        range_summaries.list_summary_upgrades(memory, most),
        reading_ranges.list_owed_readings(memory)[:1],  # each is shown what the one before found
    )
    return tuple(islice(wanted, most))


def find_upgrade(memory: Memory, id: str) -> Upgrade | None:
    """The upgrade of that id, None where it is not wanted any more."""
    return next((wanted for wanted in list_upgrades(memory) if wanted.id == id), None)
