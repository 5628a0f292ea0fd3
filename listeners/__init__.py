"""Whatever listens to the bus and acts: workers, agents, and the door for programs of others.

`Session` is that door. It is imported at its first use, so that a worker loads
nothing of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from listeners.rooms.hearing import Message
    from listeners.rooms.session import Session

__all__ = ["Message", "Session"]

_HOMES = {"Message": "listeners.rooms.hearing", "Session": "listeners.rooms.session"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'listeners' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
