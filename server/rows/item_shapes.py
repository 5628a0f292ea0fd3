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


class VoiceRow(Evidence):
    """Somebody on one side of a decision."""

    participant: str


class ReactionRow(VoiceRow):
    """Where somebody stands on a proposal."""

    stance: Stance
    conditional: bool
    counted: bool
    before_edit: bool  # to other words than those that the proposal has now


class Time(TypedDict):
    """When something was said, RFC 3339, and by whom that is."""

    at: str | None
    at_from: Literal["sender", "receipt"] | None


class ProposalTerms(Time):
    """What every row of a proposal says."""

    status: str
    tentative: bool
    topic: str
    text: str
    participant: str
    n: int
    amends: str | None
    echoes: str | None
    superseded_by: str | None


class ProposalRow(ProposalTerms):
    """A proposal, with who stands where on it in their words."""

    handle: str
    reactions: list[ReactionRow]
    tally: Tally
    evidence: Evidence
    settled: Evidence | None


class DecisionTerms(Time):
    """What every row of a decision says."""

    status: str
    tentative: bool
    topic: str
    outcome: str
    participant: str | None
    n: int
    resolves: str | None
    supersedes: str | None
    superseded_by: str | None


class DecisionRow(DecisionTerms):
    """A decision, with its supporters, its dissent and the words that it rests on."""

    handle: str
    text: str  # what is decided
    basis: str  # by what it stands, in words
    supporters: list[VoiceRow]
    dissenters: list[VoiceRow]
    abstainers: list[VoiceRow]
    tally: Tally
    evidence: Evidence
    ratified: Evidence | None
    disputed: Evidence | None


class Stand(TypedDict):
    """Where somebody stands on one thing, and where they stood before."""

    on: str
    stance: str
    n: int
    text: str
    was: str | None
    was_n: int | None
    moved_by: str | None
    moved_n: int | None


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
