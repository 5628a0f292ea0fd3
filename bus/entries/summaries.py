"""Summaries of ranges of messages, and shorter forms of long texts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from parley.bus.entries.fields import EntryModel


class SummaryMade(EntryModel):
    """The summary of messages `first`..`last` (closed, in n) at `level`."""

    kind: Literal["summary.made"] = "summary.made"
    level: int = Field(ge=0)
    first: int = Field(ge=1)
    last: int = Field(ge=1)
    how: Literal["extract", "model"]
    text: str
    model: str | None = None
    was: int = Field(default=0, ge=0)  # tokens of the messages that it covers


Part = Literal["answer", "result", "episode", "running"]


class TextCondensed(EntryModel):
    """A model's shorter form of what memory holds of entry `of`; "" of a redacted one."""

    kind: Literal["text.condensed"] = "text.condensed"
    part: Part
    of: int = Field(ge=1)  # n
    text: str
    model: str | None = None
