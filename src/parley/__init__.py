"""Parley: a deliberation server, and the ledger of what a talk has come to.

What a program needs in most cases, documented in docs/python.md: a memory without any server
(`Memory`), a session in the hands of a program, or one participant's part in it (`Session`;
`SessionClient` without a seat), the log (`Bus`), the entries that programs publish and the
errors that they meet. Each name is imported at its first use, so `import parley` loads no
library at all.

Everything else is found by its room: `parley.bus`, `parley.memory`, `parley.listeners`,
`parley.personas`, `parley.server`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parley.bus.client import Bus
    from parley.bus.contract.cursor import Cursor
    from parley.bus.contract.drafts import Draft, Receipt
    from parley.bus.contract.errors import (
        BadSessionFile,
        BusError,
        Busy,
        Conflict,
        Fenced,
        InvalidEntry,
        SessionClosed,
        SessionExists,
        SessionNotFound,
        StaleEpoch,
        Unavailable,
        UnknownReference,
    )
    from parley.bus.entries import (
        BallotCast,
        EpisodeClosed,
        EpisodeOpened,
        ItemCorrected,
        Message,
        Record,
        SessionOpened,
        SettingsChanged,
        Step,
        ToolCalled,
        ToolReturned,
        VoteInitiated,
    )
    from parley.listeners.models.openai_model import OpenAIModel
    from parley.listeners.sessions.session_client import SessionClient
    from parley.memory.errors import ContextOverflow, DomainError, UnknownRef
    from parley.server.library.local_memory import Memory
    from parley.server.library.opened_session import Session

_ROOMS = {
    "parley.bus.client": ("Bus",),
    "parley.bus.contract.cursor": ("Cursor",),
    "parley.bus.contract.drafts": ("Draft", "Receipt"),
    "parley.bus.contract.errors": (
        "BadSessionFile",
        "BusError",
        "Busy",
        "Conflict",
        "Fenced",
        "InvalidEntry",
        "SessionClosed",
        "SessionExists",
        "SessionNotFound",
        "StaleEpoch",
        "Unavailable",
        "UnknownReference",
    ),
    "parley.bus.entries": (
        "BallotCast",
        "EpisodeClosed",
        "EpisodeOpened",
        "ItemCorrected",
        "Message",
        "Record",
        "SessionOpened",
        "SettingsChanged",
        "Step",
        "ToolCalled",
        "ToolReturned",
        "VoteInitiated",
    ),
    "parley.listeners.models.openai_model": ("OpenAIModel",),
    "parley.listeners.sessions.session_client": ("SessionClient",),
    "parley.memory.errors": ("ContextOverflow", "DomainError", "UnknownRef"),
    "parley.server.library.local_memory": ("Memory",),
    "parley.server.library.opened_session": ("Session",),
}
_HOMES = {name: module for module, names in _ROOMS.items() for name in names}

__all__ = [
    "BadSessionFile",
    "BallotCast",
    "Bus",
    "BusError",
    "Busy",
    "Conflict",
    "ContextOverflow",
    "Cursor",
    "DomainError",
    "Draft",
    "EpisodeClosed",
    "EpisodeOpened",
    "Fenced",
    "InvalidEntry",
    "ItemCorrected",
    "Memory",
    "Message",
    "OpenAIModel",
    "Receipt",
    "Record",
    "Session",
    "SessionClient",
    "SessionClosed",
    "SessionExists",
    "SessionNotFound",
    "SessionOpened",
    "SettingsChanged",
    "StaleEpoch",
    "Step",
    "ToolCalled",
    "ToolReturned",
    "Unavailable",
    "UnknownRef",
    "UnknownReference",
    "VoteInitiated",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'parley' has no attribute {name!r}")
    try:
        value = getattr(import_module(_HOMES[name]), name)
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("parley."):
            raise ImportError(
                f"{error.name} is missing: this checkout of Parley was made without symbolic"
                " links, so src/parley has no rooms; check it out where links work"
                " (git config core.symlinks true)"
            ) from error
        raise
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
