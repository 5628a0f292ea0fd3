"""What to do where a vote is not held, or a ballot comes too late, in words for whoever asked.

The refusals themselves are `call_refusal`'s, which the fold notes as they are. Pure.
"""

from __future__ import annotations

from parley.bus.entries import VoteInitiated
from parley.memory.items.decisions import find_resolving_decision
from parley.memory.items.links import find_referred
from parley.memory.state.item_state import Proposal
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.memory.voting.electorate import count_others, list_electorate

_AFTER: dict[str, str] = {
    "may not call a vote": "a chair, a person, or an agent that may 'vote' can",
    "nobody is there to vote": "whoever votes takes a seat or says something first",
}


def advise_caller(memory: Memory, entry: VoteInitiated, reason: str) -> str:
    """`reason`, for which the vote of `entry` is not held, and what to do instead."""
    item = None if entry.re is None else find_referred(memory, entry.re)
    if isinstance(item, Proposal):
        return f"{reason}{_after_proposal(memory, item)}"
    if entry.re is not None:
        return f"{reason}; a vote is on a proposal, such as P3, or on options of its own"
    return "; ".join(filter(None, (reason, _AFTER.get(reason))))


def _after_proposal(memory: Memory, proposal: Proposal) -> str:
    for ref in memory.votes.running:
        if memory.votes.by_ref[ref].proposal == proposal.ref:
            return f": {memory.votes.by_ref[ref].handle}; cast a ballot in that"
    decision = find_resolving_decision(memory, proposal)
    if decision is not None and decision.ratified is not None:
        return (
            f": it is decided, as {decision.handle}, and needs no vote; who wants it otherwise "
            f"disputes {decision.handle}, or proposes anew"
        )
    return "; propose anew what is to be voted on" if proposal.status != "active" else ""


def tell_short(memory: Memory, vote: Vote) -> str:
    """That a running `vote` counts for nothing, since too few others may cast a ballot, and what
    to do; "" if it may count.
    """
    if vote.status not in ("called", "open") or vote.by in memory.chairs:
        return ""
    electors = list_electorate(memory) if vote.status == "called" else vote.electorate
    quorum = memory.settings.ratify.quorum
    others = max(count_others(memory, vote, option, electors) for option in vote.options)
    if others >= quorum:
        return ""
    chair = "a vote that the chair calls counts" if memory.chairs else "name a chair"
    return (
        f"{vote.handle} cannot carry: it takes ballots of {quorum} others than who proposed, and "
        f"{others} can vote; {chair}, or lower ratify.quorum"
    )


def tell_ended(memory: Memory, vote: Vote) -> str:
    """That `vote` takes no ballot any more, what it came to, and what to do."""
    how = "over for want of a quorum" if vote.status == "short" else vote.status
    proposal = None if vote.proposal is None else memory.proposal(vote.proposal)
    decision = None if proposal is None else find_resolving_decision(memory, proposal)
    if vote.status == "carried" and decision is not None:
        return (
            f"{vote.handle} is {how}, not open: it made {decision.handle}; who wants it otherwise "
            f"disputes {decision.handle}"
        )
    return f"{vote.handle} is {how}, not open; call another vote"
