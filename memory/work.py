"""Goals and tasks: what was done, counted as it happens, archived when they close."""

from __future__ import annotations

from bus.entries import Step, ToolReturned
from memory.moment import Moment
from memory.stores import Episode


def ran(moment: Moment, entry: ToolReturned) -> None:
    """Count a tool run of the goal or task that it belongs to."""


def stepped(moment: Moment, entry: Step) -> None:
    """Keep a step of the task that it belongs to."""


def archive(moment: Moment, closing: Episode) -> None:
    """Leave of a closed episode what is worth keeping, and hold the limits."""
