"""The rule of decision in words, and what an item lacks to be accepted or binding. Pure.

`memory/items/ratification.py` and `memory/voting` carry the rule out. Help texts, answers and
documents quote `RULE`, so that it is said in the same words everywhere.
"""

from __future__ import annotations

from typing import Final

from parley.memory.items.ratification import list_opponents, list_supporters
from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory

RULE: Final = (
    "A proposal is accepted when `ratify.quorum` others than its proposer (2 by default) support "
    "it and nobody opposes it, when a vote carries it, or when the chair accepts it. It is "
    "rejected by a vote or by the chair, withdrawn by its proposer, and lapses when nobody speaks "
    "of it for long; opposition alone leaves it open and disputed. A vote counts only if "
    "`ratify.quorum` others than the proposer cast a ballot, or if the chair called it. Whoever "
    "else says accept or ratify supports it, whoever says reject opposes it, and whoever says "
    "decide claims a decision: nobody but the chair binds alone. A decision by the chair binds in "
    'every spelling: the act `decide`, `[DECISION] …` and "Decision: …". What a model reads in '
    "the talk is shown as read, and binds nothing."
)
_NAMED: Final = 3  # opponents that are named; more are counted


def describe_missing(memory: Memory, item: Proposal | Decision) -> str:
    """What `item` lacks to be accepted or binding, in a sentence; "" for what is settled."""
    if isinstance(item, Proposal):
        return _lacking(memory, item, item.handle) if item.status == "active" else ""
    if item.status not in ("claimed", "disputed"):
        return ""
    proposal = None if item.resolves is None else memory.proposal(item.resolves)
    is_open = proposal is not None and proposal.status == "active"
    lacking = _lacking(memory, proposal if proposal and is_open else item, item.handle)
    if item.ratified is not None:
        return f"{item.handle} is disputed {_against(list_opponents(item))}"
    return f"{item.handle} is claimed, not binding: {lacking}"


def _lacking(memory: Memory, item: Proposal | Decision, handle: str) -> str:
    """ "P1 needs one more supporter", "P1 is opposed by bo": of the proposal, else the claim."""
    subject = "it" if isinstance(item, Decision) and item.handle == handle else item.handle
    if opponents := list_opponents(item):
        return f"{subject} is opposed {_against(opponents)}"
    more = max(0, memory.settings.ratify.quorum - len(list_supporters(item)))
    count = "one more supporter" if more == 1 else f"{more} more supporters"
    chair = ", or the chair's word" if memory.chairs else ""
    return f"{subject} needs {count}{chair}"


def _against(opponents: list[str]) -> str:
    named = opponents[:_NAMED]
    rest = len(opponents) - len(named)
    names = ", ".join([*named, *([f"{rest} more"] if rest else [])])
    return f"by {names}: a vote, the chair or their agreement settles it"
