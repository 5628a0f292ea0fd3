"""Evictions: items beyond the caps leave memory, the oldest first.

Shrunk items (`item_caps`) still take room, so a fold that kept every one of them would grow with
the talk. Settled proposals leave once those held are more than `caps.settled` and
`caps.candidates` together: of each kind those beyond its own cap. Decisions leave once they are
more than `caps.claims` and `caps.ratified` together, in the same way, so claims never push out what
was ratified. A tenth of the cap is cleared besides, so that the work is done once in many entries.
What left is counted in `memory.evictions`, and the log still has it (docs/decisions/0037).
"""

from __future__ import annotations

from typing import Final, TypeVar

from parley.memory.items import positions
from parley.memory.items.proposals import lapse_longest_unmentioned
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory

_Item = TypeVar("_Item")

_ROOM: Final = 10  # the part of a cap that is cleared at once


def lapse_beyond_cap(moment: FoldStep) -> None:
    """Let the open proposals that were unmentioned longest lapse while there are too many."""
    cap = moment.memory.settings.caps.live
    beyond = len(moment.memory.live) - cap
    if beyond > 0:
        lapse_longest_unmentioned(moment, beyond + cap // _ROOM)


def evict_items(memory: Memory) -> None:
    """Let go of the items beyond the caps. Does nothing while there are fewer than those allow."""
    caps = memory.settings.caps
    if len(memory.proposals) - len(memory.live) > caps.settled + caps.candidates:
        _evict_proposals(memory)
    if len(memory.decisions) > caps.claims + caps.ratified:
        _evict_decisions(memory)


def _evict_proposals(memory: Memory) -> None:
    caps, running = memory.settings.caps, _voted_on(memory)
    settled = [
        proposal
        for proposal in memory.proposals.values()
        if proposal.ref not in memory.live and proposal.handle not in running
    ]
    unwanted = [each for each in settled if each.candidate and each.stands]
    others = [each for each in settled if not (each.candidate and each.stands)]
    # A struck proposal keeps its words from coming back, and a decision quotes what it resolves.
    others.sort(key=lambda each: (each.struck, each.ref in memory.resolving, each.ref))
    for proposal in (*_beyond(unwanted, caps.candidates), *_beyond(others, caps.settled)):
        del memory.proposals[proposal.ref]
        memory.full_proposals.pop(proposal.ref, None)
        memory.uncompared.pop(proposal.ref, None)
        memory.proposal_index.remove(proposal.ref)
        _forget(memory, proposal)


def _evict_decisions(memory: Memory) -> None:
    caps, running = memory.settings.caps, _voted_on(memory)
    free = [each for each in memory.decisions.values() if each.handle not in running]
    binding = [each for each in free if each.binds and each.stands]
    claims = [each for each in free if not (each.binds and each.stands)]
    # A struck decision keeps its words from coming back; nobody took a candidate up.
    claims.sort(key=lambda each: (each.struck, not each.candidate, each.ref))
    gone = [*_beyond(claims, caps.claims), *_beyond(binding, caps.ratified)]
    for decision in gone:
        del memory.decisions[decision.ref]
        memory.full_decisions.pop(decision.ref, None)
        memory.decision_index.remove(decision.ref)
        _forget(memory, decision)
    if gone:
        memory.order_resolving()
        memory.order_topics()


def _beyond(items: list[_Item], cap: int) -> list[_Item]:
    """The first of `items` that have to go so that a tenth of `cap` is free; none within it."""
    return items[: len(items) - cap + cap // _ROOM] if len(items) > cap else []


def _forget(memory: Memory, item: Proposal | Decision) -> None:
    memory.evictions.count(item)
    positions.forget_item(memory, item.handle)
    handles = memory.at_refs[item.born]
    handles.remove(item.handle)
    if not handles:
        del memory.at_refs[item.born]


def _voted_on(memory: Memory) -> set[str]:
    """The handles that running votes are on."""
    votes = (memory.votes.by_ref[ref] for ref in memory.votes.running)
    return {handle for vote in votes for handle in (f"P{vote.proposal}", *vote.options)}
