"""Whether a session marks what it proposes and decides, or puts bare lines to a vote.

Where it does, words such as "I suggest" are talk until somebody takes them up:
what they alone make is tentative, shown with less weight, never counted.
"""

from __future__ import annotations

from typing import Final

from memory.items import Decision, Proposal
from memory.moment import Moment
from memory.state import Memory

_SCRIBED: Final = 5  # of the newest 20 lines: somebody takes minutes of what others say


def is_formal(memory: Memory) -> bool:
    """True where items are marked, bare lines are put to a vote, or a scribe is at work."""
    return memory.structure.formal > 0 or sum(memory.structure.led) >= _SCRIBED


def formalise(moment: Moment, *, marked: bool = False) -> None:
    """Note a marked item, or one put to a vote; the first makes earlier mere wordings tentative."""
    memory = moment.memory
    memory.structure.formal += 1
    memory.structure.marked += marked
    if memory.structure.formal > 1:
        return
    for proposal in memory.proposals.values():
        if proposal.status == "active" and not _taken_up(proposal):
            hold(moment, proposal)
    for decision in memory.decisions.values():
        if decision.status == "claimed":
            hold(moment, decision)


def hold(moment: Moment, item: Proposal | Decision) -> None:
    """Make an item tentative that its wording alone made."""
    if item.origin.how == "pattern" and item.stands and not item.tentative:
        item.tentative = True
        moment.found("item.tentative", item.handle, tentative=True)


def firm(moment: Moment, item: Proposal | Decision) -> None:
    """Count an item again: somebody took it up."""
    if item.tentative:
        item.tentative = False
        moment.found("item.tentative", item.handle, tentative=False)


def _taken_up(proposal: Proposal) -> bool:
    others = [held for name, held in proposal.reactions.items() if name != proposal.participant]
    return len(others) > 1 or any(held.counted for held in others)
