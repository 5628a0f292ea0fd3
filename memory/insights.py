"""Insights."""

from __future__ import annotations

from memory.state import Memory
from memory.stores import Insight


def standing(memory: Memory) -> list[Insight]:
    return list(memory.insights.held.values())
