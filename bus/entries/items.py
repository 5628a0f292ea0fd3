"""Items: corrected by people, read out of the talk by models, and compared by embeddings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from parley.bus.entries.fields import EntryModel, Name, Ref


class ItemCorrected(EntryModel):
    """A person's word on an item; outranks every detector for good."""

    kind: Literal["item.corrected"] = "item.corrected"
    ref: Ref
    by: Name
    op: Literal["retract", "confirm", "merge", "topic", "by"]
    value: str | None = None  # merge: the other handle; topic: its text; by: a name


Label = Literal["proposal", "decision", "support", "oppose", "neutral"]
Doubt = Literal["question", "report", "irony", "hypothesis", "procedure", "repeat", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a model says that `content[start:end]` of message `n` is; `quote` are those words.

    A stance is on `target`, which a decision settles: a handle, the n of the message that
    proposed or decided, or the `id` of another claim of the entry. `statement` says in the
    model's own words, on a line, what is proposed or decided.
    """

    confidence: int  # per mille
    end: int
    id: str | None = None
    label: Label
    n: int
    quote: str
    start: int
    statement: str | None = None
    target: int | str | None = None


@dataclass(frozen=True, slots=True)
class Retraction:
    """What a model says is no proposal, or no decision, and what it is instead."""

    reason: Doubt
    ref: str


class ItemsExtracted(EntryModel):
    """What a model read out of messages `first`..`last` (closed, in n), shown from `lead` on.

    `dropped` counts, by reason, what it said and could not show; the numbers of
    tokens are those of all its calls.
    """

    kind: Literal["items.extracted"] = "items.extracted"
    lead: int = Field(ge=1)
    first: int = Field(ge=1)
    last: int = Field(ge=1)
    claims: tuple[Claim, ...] = ()
    confirmed: tuple[str, ...] = ()  # handles of what it agrees with
    retracted: tuple[Retraction, ...] = ()
    dropped: dict[str, int] = Field(default_factory=dict)
    model: str | None = None
    calls: int = Field(default=1, ge=0)
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)


class SimilarityFound(EntryModel):
    """Which earlier proposal an embedding finds most like `ref`; none where it is not alike enough.

    `similarity` is that of the most alike, whether or not it was enough.
    """

    kind: Literal["similarity.found"] = "similarity.found"
    ref: Ref
    of: int = Field(ge=1)  # n of the entry that `ref` was born at
    earlier: Ref | None = None
    similarity: int = Field(default=0, ge=0, le=1000)  # per mille
    how: Literal["embedding"] = "embedding"
    model: str = ""
