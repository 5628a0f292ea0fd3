"""How many are on each side of an item: the one count that every view of it shows. Pure.

The sides on a proposal count until it is decided; from then on the proposal shows what its
decision does: everybody on record there, once, but for its proposer if nothing but having proposed
it puts them on record there. Sides that a model reads are among them. A secret vote puts nobody on
record: what it decided is counted as that vote was, or as many as have taken a side by name, if
those are more.
"""

from __future__ import annotations

from typing import Final, TypedDict

from parley.memory.ledger.ledger_rows import LedgerItem, Side
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.memory.voting.counting_rules import ABSTAIN

_STANCES: Final = ("support", "oppose", "neutral")

Counts = tuple[int, int, int]
Sides = dict[str, list[str]]  # names by stance


class Tally(TypedDict):
    """How many are on each side."""

    support: int
    oppose: int
    neutral: int


def shown_sides(memory: Memory, item: LedgerItem) -> dict[str, Side]:
    """Who is on which side, by name: one side for each participant."""
    decision = settling_decision(memory, item)
    ruling = item if item.kind == "decision" and item.as_read else decision
    if ruling is None:
        return item.sides
    offer = ledger_of(memory).item(ruling.settles[0]) if ruling.settles else None
    sides = {} if offer is None else {**offer.sides}
    if ruling is decision and decision.sides:  # it took over what was counted
        sides = {
            name: side for name, side in sides.items() if side.as_read or name in decision.sides
        }
    for name, side in ruling.sides.items():
        if name not in sides or sides[name].stance != side.stance:
            sides[name] = side  # else the proposal's own says more: on what condition
    if isinstance(item.item, Proposal) and not _is_voted(decision):
        own = sides.get(item.participant)
        if own is not None and own.origin == item.item.origin:
            del sides[item.participant]  # to propose is no side on the proposal
    return sides


def item_tally(memory: Memory, item: LedgerItem) -> Tally:
    """How many are for it, against it, and neither."""
    decision = settling_decision(memory, item)
    stances = [side.stance for side in shown_sides(memory, item).values()]
    counted: Counts = (stances.count("support"), stances.count("oppose"), stances.count("neutral"))
    known = item.item if decision is None else decision.item
    if known is not None and known.shrunk:
        counted = _most(counted, known.tally)
    vote = None if decision is None else _deciding_vote(memory, decision)
    if vote is not None and (vote.secret or (known is not None and known.shrunk)):
        counted = _most(counted, _vote_counts(vote))
    return dict(zip(_STANCES, counted, strict=True))  # type: ignore[return-value]  # its fields


def item_sides(memory: Memory, item: LedgerItem) -> Sides:
    """Who is for it, against it, and neither, as far as that is on record."""
    sides: Sides = {stance: [] for stance in _STANCES}
    for name, side in shown_sides(memory, item).items():
        sides[side.stance].append(name)
    return sides


def settling_decision(memory: Memory, item: LedgerItem) -> LedgerItem | None:
    """The ratified decision itself; of a proposal, the one that accepted it. None for others."""
    known = item.item
    if isinstance(known, Proposal):
        known = memory.decisions.get(memory.resolving.get(known.ref, 0))
    if not isinstance(known, Decision) or not known.stands or known.ratified is None:
        return None
    return item if known is item.item else ledger_of(memory).item(known.handle)


def _is_voted(decision: LedgerItem | None) -> bool:
    """True if ballots ratified it: then its proposer is on record by a ballot."""
    ratified = decision.item.ratified if decision and isinstance(decision.item, Decision) else None
    return ratified is not None and ratified.how == "vote"


def _deciding_vote(memory: Memory, decision: LedgerItem) -> Vote | None:
    """The vote that ratified it, if one did and memory still has its row."""
    ratified = decision.item.ratified if isinstance(decision.item, Decision) else None
    if ratified is None or not (ratified.rule or "").startswith("vote."):
        return None
    called = {cite.n for cite in ratified.cites}
    votes = (vote for vote in memory.votes.by_ref.values() if vote.n in called and vote.carried)
    return next(votes, None)


def _most(one: Counts, other: Counts) -> Counts:
    return max(one[0], other[0]), max(one[1], other[1]), max(one[2], other[2])


def _vote_counts(vote: Vote) -> Counts:
    support, neutral = vote.tally.get(vote.carried or "", 0), vote.tally.get(ABSTAIN, 0)
    oppose = sum(vote.tally.values()) - support - neutral
    return support, oppose, neutral
