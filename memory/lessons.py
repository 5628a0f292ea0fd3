"""Lessons: what other sessions learnt, with its provenance; and what this one could teach."""

from __future__ import annotations

from bus.entries import LessonImported
from memory.moment import Moment
from memory.state import Memory
from memory.stores import Lesson


def imported(moment: Moment, entry: LessonImported) -> None:
    """Keep a lesson; the same one again changes nothing."""


def standing(memory: Memory) -> list[Lesson]:
    return list(memory.lessons.values())
