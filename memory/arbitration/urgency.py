"""Whether to ask for the floor, judged without a model: `floor.evaluation: rules`."""

from __future__ import annotations

from collections.abc import Sequence

from parley.bus.entries import Record
from parley.memory.arbitration.bid_scores import speaking_deficit
from parley.memory.extraction.structure.shelves import firm_side
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.floor_state import Bid
from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory
from parley.memory.text.similarity import content_stems

_NEWEST = 5  # messages of others that are read
_READ = 4000  # characters of each
_LOOK_BACK = 16  # proposals and decisions that somebody may still owe a word
_HUNGRY = 400  # of a deficit at which silence itself speaks for a word


def judge_urgency(memory: Memory, name: str, recent: Sequence[Record]) -> Bid | None:
    """The bid that `name` makes having heard `recent`, or None for a pass.

    By the first of: it is called; a decision is claimed that nobody tested; a
    proposal waits for its word; the newest messages speak of what interests it;
    it has said much less than the others. What interests it adds a degree.
    """
    name = memory.named(name)
    seat = memory.floor.seats.get(name)
    if seat is None:
        return None
    bid = _bid(memory, name, _shared(memory, name, seat.interests, recent), seat.addressed > 0)
    if bid is None:
        return None
    wanted, intent, re, novelty = bid
    return Bid(
        heard=memory.n,
        turn=memory.floor.turns,
        urgency=min(wanted, 3),
        intent=intent,
        re=re,
        novelty=novelty,
    )


def _bid(
    memory: Memory, name: str, shared: list[str], called: bool
) -> tuple[int, str, str | None, str] | None:
    interest = bool(shared)
    if called:
        return 3, "answer", None, "asked by name"
    if (claimed := _untested(memory, name)) is not None:
        return 1 + interest, "oppose", claimed.handle, "nobody has tested this decision"
    if (waiting := _unanswered(memory, name)) is not None:
        return 1 + interest, "ask", waiting.handle, "no word on it yet"
    if interest:
        return min(len(shared), 2), "answer", None, " ".join(shared[:3])
    if memory.messages and speaking_deficit(memory, name) >= _HUNGRY:
        return 1, "answer", None, "has said little so far"
    return None


def _shared(
    memory: Memory, name: str, interests: tuple[str, ...], recent: Sequence[Record]
) -> list[str]:
    """Which of its interests the newest messages of others speak of, in its own order."""
    heard: set[str] = set()
    others = [record.entry for record in recent if _is_others(memory, name, record)]
    for entry in others[-_NEWEST:]:
        heard.update(content_stems(getattr(entry, "content", "")[:_READ]))
    return [interest for interest in interests if not heard.isdisjoint(content_stems(interest))]


def _is_others(memory: Memory, name: str, record: Record) -> bool:
    by = getattr(record.entry, "participant", "")
    return record.entry.kind == "message" and memory.named(by) != name


def _untested(memory: Memory, name: str) -> Decision | None:
    """The newest claimed decision that nobody opposed, and that is not its own."""
    for ref in list(memory.decisions)[-_LOOK_BACK:][::-1]:
        decision = memory.decisions[ref]
        sided = (decision.participant, *decision.supporters, *decision.abstainers)
        untested = decision.stands and decision.status == "claimed" and not decision.dissenters
        if untested and name not in sided and _is_firm(memory, decision):
            return decision
    return None


def _is_firm(memory: Memory, decision: Decision) -> bool:
    item = ledger_of(memory).item(decision.handle)
    return item is not None and item.shelf == "firm"


def _unanswered(memory: Memory, name: str) -> Proposal | None:
    """The newest open proposal of somebody else that it has not said a word on."""
    for proposal in ledger_of(memory).actionable()[:_LOOK_BACK]:
        if proposal.participant != name and firm_side(proposal, name) is None:
            return proposal
    return None
