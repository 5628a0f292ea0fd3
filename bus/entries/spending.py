"""What model calls cost: reserved before, settled after."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from parley.bus.entries.fields import EntryModel, Name

Purpose = Literal[
    "evaluate", "draft", "ballot", "grant", "summary", "note", "condense", "extract", "embed",
    "other",
]  # fmt: skip


class SpendReserved(EntryModel):
    """The most that a model call may cost, before it is made; the fold grants or refuses it."""

    kind: Literal["spend.reserved"] = "spend.reserved"
    participant: Name  # on whose account
    call: Name  # its id
    purpose: Purpose
    tokens: int = Field(ge=0)
    micros: int = Field(default=0, ge=0)  # millionths of the currency
    model: str = ""


class SpendSettled(EntryModel):
    """What the call came to; the rest of its reservation is free again."""

    kind: Literal["spend.settled"] = "spend.settled"
    participant: Name
    call: Name
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cached_tokens: int = Field(default=0, ge=0)  # of the input, as the provider says
    micros: int = Field(default=0, ge=0)
    outcome: Literal["used", "passed", "discarded", "failed", "lost"] = "used"
