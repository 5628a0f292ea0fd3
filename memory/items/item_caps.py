"""Caps: how many items keep their full form.

The rest shrink to one line each (handle, topic, status, tally, fingerprint) and
are read back from the log on demand. Nothing is forgotten and nothing binding
goes first: the ledger (ratified and disputed decisions) shrinks only with a
ratification, a change of settings or an operator's wish, so a mere claim never
changes the part of a context that providers cache (docs/decisions/0005).
"""

from __future__ import annotations

from parley.memory.items.importance import importance_rank
from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory


def compact_proposals(memory: Memory, *, wanted: bool = False) -> None:
    """Shrink proposals to the cap's target once they pass its threshold (or when `wanted`)."""
    caps = memory.settings.caps
    if not wanted and len(memory.full_proposals) * 1000 <= caps.proposals * caps.threshold:
        return
    keep = caps.proposals * caps.target // 1000
    full = [memory.proposals[ref] for ref in memory.full_proposals]
    full.sort(key=lambda proposal: (*importance_rank(memory, proposal), proposal.ref))
    for proposal in full[: max(0, len(full) - keep)]:
        _shrink_proposal(proposal)
        del memory.full_proposals[proposal.ref]


def _shrink_proposal(proposal: Proposal) -> None:
    proposal.shrunk = True
    proposal.text = ""
    if proposal.status != "active":
        proposal.reactions = {}
        proposal.voices = []


def compact_decisions(memory: Memory, *, ledger: bool, wanted: bool = False) -> None:
    """Shrink decisions to the cap's target; those of the ledger only when `ledger`."""
    caps = memory.settings.caps
    if not wanted and len(memory.full_decisions) * 1000 <= caps.decisions * caps.threshold:
        return
    keep = caps.decisions * caps.target // 1000
    full = [memory.decisions[ref] for ref in memory.full_decisions]
    full.sort(key=lambda decision: (decision.binds, decision.ref))
    for decision in full[: max(0, len(full) - keep)]:
        if ledger or not decision.binds:
            _shrink_decision(decision)
            del memory.full_decisions[decision.ref]


def _shrink_decision(decision: Decision) -> None:
    decision.shrunk = True
    decision.outcome = ""
    decision.supporters = {}
    decision.dissenters = {}
    decision.abstainers = {}
    decision.voices = []


def shrink_item(memory: Memory, item: Proposal | Decision) -> None:
    """Shrink an item that is out of play at once."""
    if isinstance(item, Proposal):
        _shrink_proposal(item)
        item.reactions = {}
        memory.full_proposals.pop(item.ref, None)
    else:
        _shrink_decision(item)
        memory.full_decisions.pop(item.ref, None)
