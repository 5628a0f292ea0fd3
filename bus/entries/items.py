"""Items: corrected by people, read in the talk by models, and compared by embeddings."""

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


ClaimLabel = Literal["proposal", "side", "ruling", "task", "right"]
ReadSide = Literal["support", "oppose", "neutral", "conditional", "withdraw"]
Outcome = Literal[
    "accepted", "accepted_with_changes", "rejected", "put_off", "withdrawn", "replaced"
]
Right = Literal["chair", "named", "delegated", "unopposed", "vote", "reported"]
Relation = Literal["new", "amends", "alternative", "repeats", "replaces"]
Verdict = Literal["right", "wrong", "reworded"]
Doubt = Literal[
    "question", "report", "irony", "hypothesis", "procedure", "repeat", "part", "reason",
    "agreement", "withdrawal", "decision", "nit", "quoted", "task", "other",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a model reads in `content[start:end]` of message `n`; `quote` are those words.

    Which fields mean something depends on `label`:

    - `proposal`: `statement` says what is proposed, as one sentence that stands alone;
      `relation` says how it relates to `targets` (`new` has no target); `detail` is the
      question that it shares with its alternatives.
    - `side`: `side` on each of `targets`; `detail` is the condition of a conditional one.
    - `ruling`: `outcome` for each of `targets`, by what `right`; `statement` says what was
      decided; `detail` holds the changes, or until when it is put off; `who` names who ruled
      if the message reports somebody else's ruling.
    - `task`: `who` does what (`statement`), by when (`detail`), for which `targets`; `done` if
      the message reports it as carried out.
    - `right`: `who` may rule, according to the author of the message, on `targets` (on
      everything if there is none).

    A target is the handle of an item, or the `id` of another claim of the same entry.
    """

    detail: str | None = None
    done: bool = False
    end: int
    id: str | None = None
    label: ClaimLabel
    n: int
    outcome: Outcome | None = None
    quote: str
    relation: Relation | None = None
    right: Right | None = None
    side: ReadSide | None = None
    start: int
    statement: str | None = None
    targets: tuple[str, ...] = ()
    who: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemCheck:
    """A model's verdict on item `ref`, or on the side that `who` has on it.

    `wrong` has the `reason`, `reworded` the `statement` that the item is shown with.
    """

    reason: Doubt | None = None
    ref: str
    statement: str | None = None
    verdict: Verdict
    who: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused row of a model's answer: why, and its text in at most 160 characters."""

    reason: str
    row: str


class ItemsExtracted(EntryModel):
    """What a model read in messages `first`..`last` (closed, in n), shown from `lead` on.

    `refused` names the first rows that could not be kept, `dropped` counts all of them by reason.
    Tokens are those of all calls.
    """

    kind: Literal["items.extracted"] = "items.extracted"
    lead: int = Field(ge=1)
    first: int = Field(ge=1)
    last: int = Field(ge=1)
    claims: tuple[Claim, ...] = ()
    checks: tuple[ItemCheck, ...] = ()
    refused: tuple[Refusal, ...] = ()
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
