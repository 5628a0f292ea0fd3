"""Whether a session marks what it proposes and decides, or puts bare lines to a vote.

Where it does, words such as "I suggest" are talk until somebody takes them up:
what they alone make is tentative, shown with less weight, never counted.
"""

from __future__ import annotations

from memory.items import Decision, Proposal
from memory.moment import Moment


def formalise(moment: Moment) -> None:
    """Note a marked item, or one put to a vote; the first makes earlier mere wordings tentative."""
    memory = moment.memory
    memory.structure.formal += 1
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
    return any(name != proposal.participant for name in proposal.reactions)
