"""The rule of decision: what makes a proposal accepted and a decision binding.

A quorum of others whom nobody opposes, a vote in which enough others took part, a chair's
word, a claim that restates what enough others voted for. Nobody else binds alone, by whatever
act; sides that are read in prose make nothing binding. `parley.memory.ledger.decision_rule`
has the rule in words. What is accepted has a decision; what a decision replaces is superseded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from parley.memory.extraction.structure.marking_style import make_firm
from parley.memory.extraction.structure.scribes import is_typed_by_scribe
from parley.memory.extraction.structure.shelves import is_firm_side, may_count
from parley.memory.items.decision_sides import sides_row
from parley.memory.items.decisions import decide_accepted, find_resolving_decision
from parley.memory.items.proposals import settle_proposal
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Decision, Origin, Proposal, Reaction, Stance
from parley.memory.state.memory import Memory

_NONE: Final[Mapping[str, Stance]] = MappingProxyType({})


def may_bind(moment: FoldStep) -> bool:
    """True for a chair who speaks for themselves: what they accept, reject or decide binds."""
    return not moment.typist and moment.participant in moment.memory.chairs


def have_quorum(memory: Memory, names: Iterable[str], item: Proposal | Decision) -> bool:
    """True if enough of `names`, each given once, are others than who made `item`."""
    others = sum(name not in (item.participant, item.typist) for name in names)
    return others >= memory.settings.ratify.quorum


def list_supporters(item: Proposal | Decision) -> list[str]:
    """The others who count toward the quorum of `item`, in alphabetical order.

    Conditional support of a proposal is not support; nor is what a scribe typed, or prose said.
    """
    made_by = (item.participant, item.typist)
    if isinstance(item, Decision):
        names = [
            name
            for name, origin in item.supporters.items()
            if may_count(origin) and not is_typed_by_scribe(origin)
        ]
    else:
        names = [
            name
            for name, reaction in item.reactions.items()
            if reaction.stance == "support" and reaction.counted and not reaction.conditional
        ]
    return sorted(name for name in names if name not in made_by)


def list_opponents(item: Proposal | Decision) -> list[str]:
    """Who is firmly against `item`, in alphabetical order."""
    if isinstance(item, Decision):
        return sorted(item.dissenters)
    reactions = item.reactions.items()
    return sorted(n for n, each in reactions if each.stance == "oppose" and is_firm_side(each))


def has_quorum(memory: Memory, item: Proposal | Decision) -> bool:
    """True when enough others support it and nobody opposes it."""
    return not list_opponents(item) and have_quorum(memory, list_supporters(item), item)


def has_carrying_vote(
    memory: Memory, proposal: Proposal, also: Mapping[str, Stance] = _NONE
) -> bool:
    """True where a vote on it was carried: enough others for it, two to one at least.

    Bare votes count, because a claim that restates the proposal has said what
    they were cast on; so does half a vote. Who was against stays on record. `also`
    are votes of people who said nothing of it: by nearness they are on something else.
    """
    rest = [stance for name, stance in also.items() if name not in proposal.reactions]
    supporters, opponents = rest.count("support"), rest.count("oppose")
    for name, reaction in proposal.reactions.items():
        sure = reaction.vote or (reaction.counted and not reaction.conditional)
        if is_typed_by_scribe(reaction.origin) or not is_firm_side(reaction):
            continue
        if reaction.stance == "oppose":
            opponents += 1
        elif reaction.stance == "support" and sure:
            supporters += name not in (proposal.participant, proposal.typist)
    return supporters >= max(memory.settings.ratify.quorum, 2 * opponents)


def accept_by_quorum(moment: FoldStep, proposal: Proposal, reaction: Reaction) -> None:
    """Accept `proposal` when the reaction in hand completes the quorum."""
    memory = moment.memory
    if proposal.status != "active" or reaction.stance != "support":
        return
    if has_quorum(memory, proposal):
        also = tuple(
            other.origin.cites[0]
            for _, other in sorted(proposal.reactions.items())
            if other.stance == "support" and other.counted and other is not reaction
        )
        cites = (*reaction.origin.cites, *also)
        accept_proposal(moment, proposal, Origin(cites, "rule", "ratify.quorum"))


def ratify_by_vote(
    moment: FoldStep, decision: Decision, proposal: Proposal, also: Mapping[str, Stance] = _NONE
) -> None:
    """Ratify a claim that restates a proposal whose vote was carried;
    `also` as in `has_carrying_vote`.
    """
    if proposal.status == "active" and has_carrying_vote(moment.memory, proposal, also):
        cites = (*decision.origin.cites, proposal.origin.cites[0])
        accept_proposal(moment, proposal, Origin(cites, "vote", "ratify.quorum"))


def ratify_if_enough(moment: FoldStep, decision: Decision) -> None:
    """Ratify a claim that resolves no proposal once enough others marked the same of it."""
    if decision.status not in ("claimed", "disputed") or decision.resolves is not None:
        return
    if has_quorum(moment.memory, decision):
        cites = [decision.supporters[name].cites[0] for name in list_supporters(decision)]
        cites.sort(key=lambda cite: -cite.n)
        ratify_decision(moment, decision, Origin(tuple(cites), "rule", "ratify.quorum"))


def restore_if_unopposed(moment: FoldStep, decision: Decision | None, origin: Origin) -> None:
    """Ratify a decision again that was ratified, then disputed, and that nobody opposes now."""
    if decision is None or decision.status != "disputed" or decision.dissenters:
        return
    if decision.ratified is not None:
        ratify_decision(moment, decision, Origin(origin.cites, "rule", "ratify.unopposed"))


def accept_proposal(moment: FoldStep, proposal: Proposal, origin: Origin) -> None:
    """Accept `proposal` and ratify the decision that resolves it, made now if there is none."""
    if proposal.status == "active":
        settle_proposal(moment, proposal, "accepted", origin)
    decision = find_resolving_decision(moment.memory, proposal)
    if decision is None:
        decision = decide_accepted(moment, proposal, origin)
    ratify_decision(moment, decision, origin)


def bind_decision(
    moment: FoldStep, decision: Decision, resolves: Proposal | None, origin: Origin
) -> None:
    """Ratify `decision` by the word of someone permitted, and accept what it resolves."""
    if resolves is None and decision.resolves is not None:
        resolves = moment.memory.proposal(decision.resolves)  # as whoever claimed it said
    if resolves is not None and resolves.status == "active":
        accept_proposal(moment, resolves, origin)
    ratify_decision(moment, decision, origin)


def ratify_decision(moment: FoldStep, decision: Decision, origin: Origin) -> None:
    """Make a claimed or disputed decision binding; what it replaces is superseded."""
    if decision.status not in ("claimed", "disputed"):
        return
    make_firm(moment, decision)
    decision.status = "ratified"
    decision.ratified = origin
    moment.memory.cites.note(decision, origin)
    moment.record_fact(
        "decision.ratified",
        decision.handle,
        participant=moment.participant if origin.how != "rule" else None,
        topic=decision.topic,
        outcome=decision.outcome,
        resolves=None if decision.resolves is None else f"P{decision.resolves}",
        how=origin.how,
        rule=origin.rule,
        **sides_row(decision),
    )
    _supersede(moment, decision, origin)


def _supersede(moment: FoldStep, decision: Decision, origin: Origin) -> None:
    memory = moment.memory
    replaced: list[Decision] = []
    if decision.supersedes is not None:
        earlier = memory.decision(decision.supersedes)
        if earlier is not None:
            replaced.append(earlier)
    for ref in memory.topics.get(decision.topic.casefold(), ()):
        earlier = memory.decision(ref)
        if earlier is not None and earlier.ref < decision.ref and earlier not in replaced:
            replaced.append(earlier)
    for earlier in sorted(replaced, key=lambda decision: decision.ref):
        if earlier is decision or earlier.status == "superseded":
            continue
        earlier.status = "superseded"
        earlier.superseded_by = decision.ref
        if decision.supersedes is None:
            decision.supersedes = earlier.ref
        moment.record_fact(
            "decision.superseded", earlier.handle, by=decision.handle, rule=origin.rule
        )
