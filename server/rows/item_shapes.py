"""The shapes of rows of items and summaries, which type checkers hold their makers to."""

from __future__ import annotations

from typing import Literal, TypedDict

from parley.server.verdicts.tallies import Tally

Stance = Literal["support", "oppose", "neutral"]


class OriginTerms(TypedDict):
    """How something was found, by which rule, and how surely (per mille)."""

    how: str
    rule: str | None
    confidence: int


class Evidence(OriginTerms):
    """Where something comes from: message `n`, whose it is, and its words."""

    n: int
    by: str | None
    quote: str | None
    cites: list[list[int]]  # [n, start, end], characters of the message


class SideRow(Evidence):
    """The side of one participant on an item. `as_read`: a model read it in prose.

    `counted` sides count toward a quorum; `condition` is in a model's words.
    """

    participant: str
    stance: Stance
    as_read: bool
    counted: bool
    conditional: bool
    condition: str | None
    before_edit: bool  # to other words than those that the proposal has now


class EndingRow(TypedDict):
    """How an item ended according to a model's reading, by whose ruling and what right.

    `reporter` wrote the message if it reports somebody else's ruling; `detail` are the changes,
    or until when it is put off; `decision` is the handle of the ruling.
    """

    word: str
    by: str
    right: str | None
    reporter: str | None
    detail: str | None
    n: int
    decision: str | None


class Denial(Evidence):
    """Who says that it is no item: `says` has the reason in words."""

    reason: str | None
    says: str


class Time(TypedDict):
    """When something was said, RFC 3339, and whose clock that is."""

    at: str | None
    at_from: Literal["sender", "receipt"] | None


class ItemTerms(Time):
    """What every row of an item says.

    `status_text` is the status in words: "accepted (as read)". `as_read` is True if a model's
    reading sets it. `shelf`: firm, candidate or denied. `statement` is in a model's words.
    """

    status: str
    status_text: str
    as_read: bool
    shelf: str
    topic: str
    statement: str | None
    participant: str
    n: int
    superseded_by: str | None
    ending: EndingRow | None


class ProposalTerms(ItemTerms):
    """What every row of a proposal says: `relation` to the items `related`."""

    text: str
    relation: str
    related: list[str]
    question: str | None
    echoes: str | None


class DecisionTerms(ItemTerms):
    """What every row of a decision says. `resolves` is the first of what it `settles`."""

    outcome: str
    resolves: str | None
    settles: list[str]
    supersedes: str | None


class Shown(TypedDict):
    """What the whole row of an item has."""

    basis: str  # what it rests on, in words
    tally: Tally
    evidence: Evidence
    confirmed: Evidence | None  # by a model
    denied: Denial | None


class ProposalRow(ProposalTerms, Shown):
    """A proposal, with each side on it in the words that say so."""

    handle: str
    reactions: list[SideRow]
    settled: Evidence | None


class DecisionRow(DecisionTerms, Shown):
    """A decision, with each side on it and the words that it rests on."""

    handle: str
    text: str  # what is decided
    supporters: list[SideRow]
    dissenters: list[SideRow]
    abstainers: list[SideRow]
    ratified: Evidence | None
    disputed: Evidence | None


class CandidateRow(OriginTerms):
    """What may be an item; `why` tells how often such a finding is right."""

    ref: str
    kind: str
    text: str
    participant: str
    n: int
    cites: list[list[int]]
    basis: str
    why: str


class Stand(TypedDict):
    """The side that somebody has on one thing, and the one before."""

    on: str
    stance: str
    as_read: bool
    n: int
    text: str
    was: str | None
    was_n: int | None
    moved_by: str | None
    moved_n: int | None


class Contribution(TypedDict):
    """A message that moved the talk, and its words."""

    n: int
    quote: str | None


class ParticipantStands(TypedDict):
    """Where one participant stands: `last` is the thing of the newest of the `positions`."""

    participant: str
    messages: int
    last: str | None
    positions: list[Stand]
    contributions: list[Contribution]


class PositionRow(Stand):
    """A stand, and whose it is."""

    participant: str


class SummaryRow(TypedDict):
    """What a stretch of messages came to: `first` to `last`, both included."""

    level: int
    first: int
    last: int
    how: str
    text: str
