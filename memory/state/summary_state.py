"""Ranges of the log, their standing summaries, and shorter forms of what is held clipped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from msgspec import Struct


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


class ShortForm(Struct, omit_defaults=True, kw_only=True, frozen=True):
    """A model's shorter form of something that memory already holds clipped."""

    text: str
    size: int  # bytes
