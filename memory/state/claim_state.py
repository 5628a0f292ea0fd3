"""The data of readings: the stretches to be read, what was claimed of them, what was judged.

Stretches follow from messages and control entries alone. What a model claimed is kept by the
message that it cites, so it is the same in whatever order answers land.
"""

from __future__ import annotations

from msgspec import Struct, field

from parley.bus.entries import ClaimLabel, Doubt, Outcome, ReadSide, Relation, Right, Verdict


class UnreadMessage(Struct, frozen=True, gc=False, omit_defaults=True):
    """A message that waits to be read: its author, and its length in characters."""

    who: str
    chars: int


class ReadingRange(Struct, frozen=True, gc=False, omit_defaults=True):
    """Messages n `first`..`last`, to be read with those from `lead` on before them."""

    lead: int
    first: int
    last: int


class KeptClaim(Struct, frozen=True, gc=False, omit_defaults=True):
    """A claim that landed; its fields are those of `Claim`.

    `k` numbers the proposals and rulings of message `n` from 1; it is 0 for all others.
    `targets` are handles. `who` is the author of the message, `named` the person that a task,
    a right or a reported ruling names.
    """

    n: int
    k: int
    label: ClaimLabel
    start: int
    end: int
    who: str
    first: int  # of its stretch
    last: int
    lead: int  # the first message that the model was shown
    text: str = ""  # the quoted words
    statement: str = ""
    targets: tuple[str, ...] = ()
    side: ReadSide | None = None
    outcome: Outcome | None = None
    right: Right | None = None
    relation: Relation | None = None
    detail: str = ""
    named: str = ""
    done: bool = False


class KeptCheck(Struct, frozen=True, gc=False, omit_defaults=True):
    """A model's verdict on an item, or on a side that somebody has on it; the latest one counts."""

    first: int  # of its stretch
    last: int
    lead: int
    verdict: Verdict
    reason: Doubt | None = None
    statement: str = ""


class RefusedRows(Struct, frozen=True, gc=False, omit_defaults=True):
    """The first refused rows of a stretch, each with the reason; none once its words are gone."""

    lead: int
    last: int
    rows: tuple[tuple[str, str], ...] = ()


class Claims(Struct):
    """All of it, canonical. `recent`: n of the newest messages, `extract.overlap` of them."""

    since: int = 0  # n of the first message that stretches count; 0: none
    closed: int = 0  # n of the last message of the newest closed stretch
    begun: int = 0  # n of the first message of the open stretch; 0: none yet
    lead: int = 0  # n from which the open stretch is shown
    count: int = 0  # messages in it
    tokens: int = 0  # of those messages, as a question has them
    recent: list[int] = field(default_factory=list)
    heard: dict[int, UnreadMessage] = field(default_factory=dict)  # by n, ascending
    owed: dict[int, ReadingRange] = field(default_factory=dict)  # by first, ascending
    # by n and place, the newest
    kept: list[KeptClaim] = field(default_factory=list, name="held")
    checks: dict[str, KeptCheck] = field(default_factory=dict)  # by "P3", or "P3 name" of a side
    touched: dict[str, str] = field(default_factory=dict)  # handle -> what a person did with it
    read: int = 0  # stretches
    claimed: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    refused: dict[int, RefusedRows] = field(default_factory=dict)  # by first, the newest stretches
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
