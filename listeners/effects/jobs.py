"""The jobs of upgrades: what a model is asked for besides summaries.

A job says which entries it reads and turns a model's answers into the entry
that is logged; the effect runner reads, leases, retries and publishes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from parley.bus.entries import (
    ItemsExtracted,
    NoteRefused,
    NoteRevised,
    Record,
    SummaryMade,
    TextCondensed,
)
from parley.listeners.effects.reflection import ReflectionJob
from parley.listeners.extraction.extractor import ExtractionJob
from parley.listeners.models.model_port import Model
from parley.listeners.summaries.short_forms import CondenseJob
from parley.memory.fold.due import Upgrade
from parley.memory.state.effects import ReadingEffect, ReflectionEffect, ShortFormEffect
from parley.memory.state.memory import Memory

Result = NoteRevised | NoteRefused | TextCondensed | SummaryMade | ItemsExtracted


class Job(Protocol):
    """`first`..`last` (closed, in n) are the entries that it reads; `last` is its cause."""

    @property
    def first(self) -> int: ...

    @property
    def last(self) -> int: ...

    async def run(self, model: Model, records: Sequence[Record]) -> Result:
        """The entry that answers; raises `ModelError`."""
        ...


def job_for(memory: Memory, effect: Upgrade) -> Job:
    """The job of a reflection, a shorter form or a reading, with all that it needs of `memory`."""
    if isinstance(effect, ReflectionEffect):
        return ReflectionJob.of(memory, effect)
    if isinstance(effect, ShortFormEffect):
        return CondenseJob.of(memory, effect)
    if isinstance(effect, ReadingEffect):
        return ExtractionJob.of(memory, effect)
    raise TypeError(f"{effect.id} is a summary")


def give_up(job: Job, reason: str) -> Result | None:
    """The entry that closes a job which the model never answers, with the reason; None if the job
    can wait. A reading cannot: later messages of its session are read after it.
    """
    return job.left_unread(reason) if isinstance(job, ExtractionJob) else None
