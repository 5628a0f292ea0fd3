"""The rule of decision in words, and what an item lacks to be accepted or binding. Pure.

`memory/items/ratification.py` and `memory/voting` carry the rule out. Help texts, answers and
documents quote `RULE`, so that it is said in the same words everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from parley.memory.items.ratification import list_opponents, list_supporters
from parley.memory.state import lookup
from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory
from parley.memory.voting.electorate import list_electorate

ALONE: Final = (
    "Whoever else says accept or ratify supports it, whoever says reject opposes it, and whoever "
    "says decide claims a decision: nobody but the chair binds alone."
)  # what is said of the rule to whoever was taken for one who binds
RULE: Final = (
    "A proposal is accepted when `ratify.quorum` others than its proposer (2 by default) support "
    "it and nobody opposes it, when a vote carries it, or when the chair accepts it. It is "
    "rejected by a vote or by the chair, withdrawn by its proposer, and lapses when nobody speaks "
    "of it for long; opposition alone leaves it open and disputed. A vote counts only if "
    f"`ratify.quorum` others than the proposer cast a ballot, or if the chair called it. {ALONE} "
    "A decision by the chair binds in every spelling: the act `decide`, `[DECISION] …` and "
    '"Decision: …". What a model reads in the talk is shown as read, and binds nothing.'
)
_NAMED: Final = 3  # people that are named; more are counted


def describe_missing(memory: Memory, item: Proposal | Decision) -> str:
    """What `item` lacks to be accepted or binding, in a sentence; "" for what is settled.

    Of a proposal that an amendment replaced, which one is to be supported now.
    """
    if isinstance(item, Proposal):
        if item.status == "modified":
            return _replaced(memory, item)
        if item.status != "active":
            return ""
        return f"{_lacking(memory, item, item.handle)}{_mistaken(memory, item.reactions)}"
    if item.status not in ("claimed", "disputed"):
        return ""
    proposal = None if item.resolves is None else memory.proposal(item.resolves)
    is_open = proposal is not None and proposal.status == "active"
    lacking = _lacking(memory, proposal if proposal and is_open else item, item.handle)
    if item.ratified is not None:
        return f"{item.handle} is disputed {_against(memory, list_opponents(item))}"
    mistaken = _mistaken(memory, [item.participant])
    return f"{item.handle} is claimed, not binding: {lacking}{mistaken}"


def _replaced(memory: Memory, proposal: Proposal) -> str:
    newer = memory.proposals.get(proposal.superseded_by or 0)
    if newer is None or newer.amends != proposal.ref:
        return ""
    sides = "" if newer.participant == proposal.participant else f" by {newer.participant}"
    return f"{proposal.handle} is replaced by {newer.handle}{sides}, which needs its own supporters"


def _lacking(memory: Memory, item: Proposal | Decision, handle: str) -> str:
    """ "P1 needs one more supporter", "P1 is opposed by bo": of the proposal, else the claim."""
    subject = "it" if isinstance(item, Decision) and item.handle == handle else item.handle
    if opponents := list_opponents(item):
        return f"{subject} is opposed {_against(memory, opponents)}"
    supporters = list_supporters(item)
    more = max(0, memory.settings.ratify.quorum - len(supporters))
    count = "one more supporter" if more == 1 else f"{more} more supporters"
    if memory.chairs:
        return f"{subject} needs {count}, or the word of {_chairs(memory)}"
    made_by = (item.participant, item.typist)
    others = sum(name not in made_by for name in list_electorate(memory))
    if 0 < others < memory.settings.ratify.quorum:
        here = "one other" if others == 1 else f"{others} others"
        return f"{subject} needs {count}, and only {here} took part so far; no chair is named"
    return f"{subject} needs {count}"


def _against(memory: Memory, opponents: list[str]) -> str:
    chair = f", {_chairs(memory)}" if memory.chairs else ""
    return f"by {_names(opponents)}: a vote{chair} or their agreement settles it"


def _chairs(memory: Memory) -> str:
    """ "the chair (Ana)": who that is, since a name of another spelling is somebody else's."""
    chairs = sorted(memory.chairs)
    return f"{'the chair' if len(chairs) == 1 else 'a chair'} ({_names(chairs)})"


def _mistaken(memory: Memory, names: Iterable[str]) -> str:
    """Who of `names` is taken for the chair, but has another spelling; "" for nobody."""
    taken = [(name, chair) for name in names if (chair := lookup.chair_meant(memory, name))]
    return "".join(f"; {name!r} is not the chair {chair!r}" for name, chair in taken[:_NAMED])


def _names(names: list[str]) -> str:
    rest = len(names) - _NAMED
    return ", ".join([*names[:_NAMED], *([f"{rest} more"] if rest > 0 else [])])
