"""What reading a file came to: the entries, what was left out and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from parley.bus.entries import Entry
from parley.server.basics.errors import BadTranscript

OnBad = Callable[[BadTranscript], None]


@dataclass(frozen=True, slots=True)
class TranscriptEntry:
    """One entry of a file: `index` is the file's own number for it."""

    index: int
    id: str
    entry: Entry


@dataclass(slots=True)
class LeftOut:
    """How many were left out for one reason, and where the first of them stands."""

    first: str
    count: int = 0


@dataclass(slots=True)
class Transcript:
    """A whole file, in its order; `meta` is what it says of itself: title, chair, bots, …"""

    meta: dict[str, Any] = field(default_factory=dict)
    entries: list[TranscriptEntry] = field(default_factory=list)
    format: str = ""  # the name of the format it was read as
    left: dict[str, LeftOut] = field(default_factory=dict)  # by reason: not wrong, and no message
    fields: dict[str, LeftOut] = field(default_factory=dict)  # by name: not taken over
    notes: list[str] = field(default_factory=list)  # what a reader should know of the reading
    bad: int = 0  # entries that were wrong, and handed to `on_bad`

    @property
    def skipped(self) -> int:
        """How many were left out, for whatever reason; those that were wrong not counted."""
        return sum(left.count for left in self.left.values())

    @property
    def speakers(self) -> list[str]:
        """Everyone who says something, in the order of their first words."""
        names = (getattr(entry.entry, "participant", None) for entry in self.entries)
        return list(dict.fromkeys(name for name in names if name is not None))
