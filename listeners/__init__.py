"""Whatever listens to the bus and acts: workers, agents, and sessions as programs hold them.

Programs import `Session` and `SessionClient` from `parley`. They are imported at their
first use, so that a worker loads nothing of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parley.listeners.sessions.inbox import Message
    from parley.listeners.sessions.session import Session

__all__ = ["Message", "Session"]

_HOMES = {
    "Message": "parley.listeners.sessions.inbox",
    "Session": "parley.listeners.sessions.session",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'parley.listeners' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
