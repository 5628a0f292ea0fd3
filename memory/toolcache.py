"""Results of tools that may be served again: by canonical key, for so many exchanges."""

from __future__ import annotations

from bus.entries import ContextInjected, ToolCalled, ToolReturned
from memory.moment import Moment
from memory.state import Memory
from memory.stores import Cached


def called(moment: Moment, entry: ToolCalled) -> None:
    """Count a hit, which keeps the result alive, or note a call that is under way."""


def returned(moment: Moment, entry: ToolReturned) -> None:
    """Keep a read-only success; whatever came back ends the call."""


def injected(moment: Moment, entry: ContextInjected) -> None:
    """Note what a participant was shown of its surroundings."""


def live(memory: Memory) -> list[Cached]:
    return list(memory.tools.cached.values())
