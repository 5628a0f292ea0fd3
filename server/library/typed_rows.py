"""The shapes of the rows that a memory gives, for type checkers; the rows are made in `rows`."""

from __future__ import annotations

from typing import Literal, TypedDict

Stance = Literal["support", "oppose", "neutral"]


class Evidence(TypedDict):
    """Where something comes from: message `n`, whose it is, and its words."""

    n: int
    by: str | None
    quote: str | None
    how: str
    rule: str
    confidence: int  # per mille
    cites: list[list[int]]  # [n, start, end], characters of the message


class VoiceRow(Evidence):
    """Somebody on one side of a decision."""

    participant: str


class ReactionRow(VoiceRow):
    """Where somebody stands on a proposal."""

    stance: Stance
    conditional: bool
    counted: bool


class Tally(TypedDict):
    support: int
    oppose: int
    neutral: int


class ProposalRow(TypedDict):
    """A proposal, with who stands where on it in their words."""

    handle: str
    status: str
    tentative: bool
    topic: str
    text: str
    participant: str
    n: int
    at: str | None  # RFC 3339
    at_from: Literal["sender", "receipt"] | None
    amends: str | None
    echoes: str | None
    superseded_by: str | None
    reactions: list[ReactionRow]
    tally: Tally
    evidence: Evidence
    settled: Evidence | None


class DecisionRow(TypedDict):
    """A decision, with its supporters, its dissent and the words that it rests on."""

    handle: str
    text: str  # what is decided
    status: str
    tentative: bool
    topic: str
    outcome: str
    participant: str | None
    n: int
    at: str | None
    at_from: Literal["sender", "receipt"] | None
    resolves: str | None
    supersedes: str | None
    superseded_by: str | None
    supporters: list[VoiceRow]
    dissenters: list[VoiceRow]
    abstainers: list[VoiceRow]
    tally: Tally
    evidence: Evidence
    ratified: Evidence | None
    disputed: Evidence | None


class PositionRow(TypedDict):
    """Where somebody stands on one thing, and where they stood before."""

    participant: str
    on: str
    stance: str
    n: int
    text: str
    was: str | None
    was_n: int | None
    moved_by: str | None
    moved_n: int | None


class SummaryRow(TypedDict):
    """What a stretch of messages came to: `first` to `last`, both included."""

    level: int
    first: int
    last: int
    how: str
    text: str
