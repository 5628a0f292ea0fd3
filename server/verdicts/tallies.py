"""How many stand where on an item: the one count that every view of it shows. Pure.

Reactions count on a proposal until it is decided; from then on the proposal shows what its
decision does: everybody on record there, once. A secret vote puts nobody on record: what it
decided is counted as that vote was, or as many as have taken a side by name, where those are more.
"""

from __future__ import annotations

from typing import Final, TypedDict

from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.memory.voting.counting_rules import ABSTAIN

_STANCES: Final = ("support", "oppose", "neutral")

Sides = dict[str, list[str]]  # names by stance


class Tally(TypedDict):
    """How many stand where."""

    support: int
    oppose: int
    neutral: int


def item_tally(memory: Memory, item: Proposal | Decision) -> Tally:
    """How many are for it, against it, and neither."""
    decision = settling_decision(memory, item)
    if decision is None:
        return _tally(*item.tally)
    vote = _deciding_vote(memory, decision)
    if vote is not None and (vote.secret or decision.shrunk):
        return _tally(*map(max, _vote_counts(vote), decision.tally))
    return _tally(*decision.tally)


def item_sides(memory: Memory, item: Proposal | Decision) -> Sides:
    """Who is for it, against it, and neither, as far as that is on record."""
    decision = settling_decision(memory, item)
    if decision is not None and (not decision.shrunk or isinstance(item, Decision)):
        voices = (decision.supporters, decision.dissenters, decision.abstainers)
        return dict(zip(_STANCES, map(list, voices), strict=True))
    sides: Sides = {"support": [], "oppose": [], "neutral": []}
    if isinstance(item, Proposal):
        for name, reaction in item.reactions.items():
            sides[reaction.stance].append(name)
    return sides


def settling_decision(memory: Memory, item: Proposal | Decision) -> Decision | None:
    """The decision itself; of a proposal that one accepted, the one that did. None of others."""
    if isinstance(item, Decision):
        return item
    decision = memory.decisions.get(memory.resolving.get(item.ref, 0))
    if decision is None or not decision.stands or decision.ratified is None:
        return None
    return decision


def _deciding_vote(memory: Memory, decision: Decision) -> Vote | None:
    """The vote that ratified it, where one did and memory still has its row."""
    ratified = decision.ratified
    if ratified is None or not (ratified.rule or "").startswith("vote."):
        return None
    called = {cite.n for cite in ratified.cites}
    votes = (vote for vote in memory.votes.by_ref.values() if vote.n in called and vote.carried)
    return next(votes, None)


def _vote_counts(vote: Vote) -> tuple[int, int, int]:
    support, neutral = vote.tally.get(vote.carried or "", 0), vote.tally.get(ABSTAIN, 0)
    oppose = sum(vote.tally.values()) - support - neutral
    return support, oppose, neutral


def _tally(support: int, oppose: int, neutral: int) -> Tally:
    return {"support": support, "oppose": oppose, "neutral": neutral}
