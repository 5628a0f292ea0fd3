"""The data of readings: stretches to be read, what was claimed of them, what was taken back.

The stretches follow from messages alone. What a model claimed is kept by the
message that it cites, so it is the same in whatever order answers land.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from parley.bus.entries import Doubt, Label


class UnreadMessage(Struct, frozen=True, gc=False, omit_defaults=True):
    """A message that waits to be read: who said it, and how many characters it has."""

    who: str
    chars: int


class ReadingRange(Struct, frozen=True, gc=False, omit_defaults=True):
    """Messages n `first`..`last`, to be read with those from `lead` on before them."""

    lead: int
    first: int
    last: int


class KeptClaim(Struct, frozen=True, gc=False, omit_defaults=True):
    """A claim that landed. `k` is its place among those of message `n`, from 1; of a stance 0."""

    n: int
    k: int
    label: Label
    start: int
    end: int
    who: str
    confidence: int  # per mille
    first: int  # of its stretch
    last: int
    text: str = ""
    target: int | str | None = None  # of a stance; of a decision the proposal that it settles
    statement: str = ""  # of an item, in the model's words
    lead: int = 0  # of a statement: n from which the model was shown messages


class Verdict(Struct, frozen=True, gc=False, omit_defaults=True):
    """A model's word on an item that stood already; that of the latest stretch stands."""

    first: int  # of its stretch
    last: int
    word: Literal["confirmed", "retracted"]
    reason: Doubt = "other"


class Claims(Struct):
    """All of it, canonical. `recent`: n of the newest messages, `extract.overlap` of them."""

    begun: int = 0  # n of the first message of the open stretch; 0: none yet
    lead: int = 0  # n from which the open stretch is shown
    count: int = 0  # messages in it
    tokens: int = 0  # of those messages, as a question has them
    recent: list[int] = field(default_factory=list)
    heard: dict[int, UnreadMessage] = field(default_factory=dict)  # by n, ascending
    owed: dict[int, ReadingRange] = field(default_factory=dict)  # by first, ascending
    # by n and place, the newest
    kept: list[KeptClaim] = field(default_factory=list, name="held")
    verdicts: dict[str, Verdict] = field(default_factory=dict)  # by handle
    touched: dict[str, str] = field(default_factory=dict)  # handle -> what a person did with it
    read: int = 0  # stretches
    claimed: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
