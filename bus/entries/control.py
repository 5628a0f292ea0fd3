"""The rules of a session and its incidents: opened, changed, closed, set aside, redacted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from parley.bus.entries.fields import EntryModel


@dataclass(frozen=True, slots=True)
class PackRef:
    """A pattern pack in force: shipped ones by name and hash, others in full."""

    name: str
    hash: str
    pack: dict[str, Any] | None = None


class SessionOpened(EntryModel):
    """Always entry 1: the settings and packs that shape the fold."""

    kind: Literal["session.opened"] = "session.opened"
    settings: dict[str, Any] = Field(default_factory=dict)
    packs: tuple[PackRef, ...] = ()
    title: str | None = None


class SessionClosed(EntryModel):
    """The last entry: why it ended, by whose word or which stop rule, and what it came to."""

    kind: Literal["session.closed"] = "session.closed"
    reason: str = "closed"
    by: str | None = None
    rule: str | None = None  # the stop rule that held, such as turns:60
    totals: dict[str, int] = Field(default_factory=dict)  # messages, turns, tokens, micros, …


class SessionForked(EntryModel):
    """The last entry of a fork's prefix: where the rest of it was left behind."""

    kind: Literal["session.forked"] = "session.forked"
    session: str
    n: int


class SettingsChanged(EntryModel):
    """A partial settings tree, merged into the one in force; packs replace packs."""

    kind: Literal["settings.changed"] = "settings.changed"
    settings: dict[str, Any] = Field(default_factory=dict)
    packs: tuple[PackRef, ...] | None = None
    by: str | None = None


class TalkPaused(EntryModel):
    """The talk fell quiet after primary entry `paused`: what was said so far may be read now."""

    kind: Literal["talk.paused"] = "talk.paused"
    paused: int = Field(ge=1)  # its n


class MemoryCompacted(EntryModel):
    """An operator's wish that memory shrink to its caps' targets now."""

    kind: Literal["memory.compacted"] = "memory.compacted"
    by: str | None = None


class EntrySetAside(EntryModel):
    """Entry `seq` kills whoever folds it; every fold skips it."""

    kind: Literal["entry.set_aside"] = "entry.set_aside"
    seq: int
    reason: str
    epoch: int = Field(default=0, ge=0)  # of the floor, that the entry began: the log goes on in it


class EntryRedacted(EntryModel):
    """The content of primary entry `redacted` was taken out of the log, for good."""

    kind: Literal["entry.redacted"] = "entry.redacted"
    redacted: int = Field(ge=1)  # its n
    reason: str
    by: str | None = None
