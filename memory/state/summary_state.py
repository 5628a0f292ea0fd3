"""Ranges of the log, what they did to the ledger, and their standing summaries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from msgspec import Struct

ChangeKind = Literal[
    "proposed", "amends", "repeats", "supported", "opposed",
    "turned to support", "turned to oppose",
    "accepted", "adopted", "rejected", "withdrawn", "replaced", "lapsed",
    "claimed", "ratified", "disputed", "superseded",
    "carried", "failed", "short", "cancelled", "retracted", "set aside", "taken up",
]  # fmt: skip


class LedgerChange(Struct, frozen=True, gc=False, array_like=True):
    """What an entry did to `ref`, an item or a vote; where its words stand, and never the words.

    So a summary can quote only what its own range says, and a redaction within the
    range leaves nothing of it. `start`..`end` are characters of entry `n`.
    """

    kind: ChangeKind
    ref: str
    who: str  # "" where nobody did: a rule, silence
    n: int
    start: int = 0
    end: int = 0
    other: str = ""  # the item it amends, repeats or resolves, or that takes its place


@dataclass(slots=True)
class SummaryRange:
    """A stretch of the log that a summary covers: n `first`..`last`, closed.

    `above` is the `first` of the range of the next level that covers it.
    """

    level: int
    first: int
    last: int
    at: str | None  # of its last entry
    above: int | None = None
    changes: list[LedgerChange] = field(default_factory=list)  # the weightiest, in log order

    @property
    def key(self) -> tuple[int, int]:
        return (self.level, self.first)


@dataclass(slots=True)
class Summary:
    """The standing summary of a range: a model's outranks an extract."""

    level: int
    first: int
    last: int
    how: Literal["extract", "model"]
    text: str
    size: int  # tokens
    was: int  # tokens of what it covers
    at: str | None  # of the last entry it covers
