"""A person's word on an item, and one name for two: both outrank every detector for good."""

from __future__ import annotations

from typing import Final

from parley.bus.entries import ItemCorrected
from parley.memory.exchanges import exchanges, tool_cache
from parley.memory.extraction.structure import merges
from parley.memory.extraction.structure.marking_style import make_firm
from parley.memory.floor import seats
from parley.memory.items import positions
from parley.memory.items.decision_sides import count_sides
from parley.memory.items.decisions import hear_about_decision, take_side
from parley.memory.items.item_caps import shrink_item
from parley.memory.items.positions import enforce_caps
from parley.memory.items.proposals import count_reactions, settle_proposal
from parley.memory.items.ratification import (
    accept_by_quorum,
    bind_decision,
    may_bind,
    ratify_if_enough,
)
from parley.memory.notebooks import notebooks, reflections
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import (
    Cite,
    Decision,
    Origin,
    Participant,
    Position,
    Proposal,
    Reaction,
)
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip
from parley.memory.voice import VOICE
from parley.memory.voting import votes

_CONFIRMED: Final = "item.confirmed"  # the rule by which a person's word makes an item one


def correct_item(moment: FoldStep, entry: ItemCorrected) -> None:
    """Carry out a correction; one that names nothing, or itself, changes nothing."""
    memory = moment.memory
    item = memory.item(entry.ref)
    if item is None or not _carry_out(moment, item, entry):
        moment.record_fact("correction.ignored", entry.ref, by=entry.by, op=entry.op)
        return
    moment.record_fact("item.corrected", entry.ref, by=entry.by, op=entry.op, value=entry.value)


def _carry_out(moment: FoldStep, item: Proposal | Decision, entry: ItemCorrected) -> bool:
    memory = moment.memory
    if entry.op == "retract":
        _strike(memory, item)
        return True
    if entry.op == "confirm":
        return _confirm(moment, item)
    if not entry.value:
        return False
    if entry.op in ("topic", "by"):
        make_firm(moment, item)
    if entry.op == "topic":
        item.topic, item.named = clip(entry.value, 100), True
        memory.order_topics()
        return True
    if entry.op == "by":
        item.participant = memory.named(entry.value)
        return True
    into = memory.item(entry.value)
    if into is None or into is item or type(into) is not type(item):
        return False
    make_firm(moment, into)
    _merge(moment, item, into)
    return True


def may_confirm(memory: Memory, name: str, item: Proposal | Decision) -> bool:
    """Whether `name` may say that an item is one: a chair, or without one anybody but its maker."""
    if memory.chairs:
        return name in memory.chairs
    return name not in (item.participant, item.typist)


def _confirm(moment: FoldStep, item: Proposal | Decision) -> bool:
    """Have an item be what it was taken for. By a chair a decision binds; else it is supported."""
    memory = moment.memory
    if not may_confirm(memory, moment.participant, item):
        return False
    if isinstance(item, Decision):
        if item.status not in ("claimed", "disputed"):
            return False
        _confirm_decision(moment, item)
        return True
    if item.status != "active" or item.origin.how == "person":
        return False
    item.origin = Origin(item.origin.cites, "person", _CONFIRMED)
    make_firm(moment, item)
    return True


def _confirm_decision(moment: FoldStep, decision: Decision) -> None:
    memory = moment.memory
    proposal = None if decision.resolves is None else memory.proposal(decision.resolves)
    origin = Origin((Cite(moment.n), decision.origin.cites[0]), "person", _CONFIRMED)
    if may_bind(moment):
        bind_decision(moment, decision, proposal, origin)
        return
    make_firm(moment, decision)
    if proposal is not None and proposal.status == "active":
        reaction = Reaction("support", conditional=False, counted=True, vote=False, origin=origin)
        make_firm(moment, proposal)
        take_side(moment, proposal, reaction)
        accept_by_quorum(moment, proposal, reaction)
    else:
        hear_about_decision(moment, decision, "support", origin)
        ratify_if_enough(moment, decision)


def _strike(memory: Memory, item: Proposal | Decision) -> None:
    item.struck = True
    _retire(memory, item)


def _retire(memory: Memory, item: Proposal | Decision) -> None:
    """Take an item out of play: its positions, its place among the live, its full form."""
    involved = {item.participant}
    if isinstance(item, Proposal):
        involved |= item.reactions.keys()
        memory.live.pop(item.ref, None)
    else:
        involved |= item.supporters.keys() | item.dissenters.keys() | item.abstainers.keys()
        memory.order_resolving()
    for name in involved:
        person = memory.participants.get(name)
        if person is not None and person.positions.pop(item.handle, None) is not None:
            person.last = _newest(person)
    shrink_item(memory, item)


def _newest(person: Participant) -> str | None:
    position = max(
        person.positions.values(), key=lambda position: (position.cite.n, position.on), default=None
    )
    return None if position is None else position.on


def _merge(moment: FoldStep, item: Proposal | Decision, into: Proposal | Decision) -> None:
    """Move what was said of `item` over to `into`, each participant's latest word standing."""
    memory = moment.memory
    if isinstance(item, Proposal) and isinstance(into, Proposal):
        _merge_proposal(memory, item, into)
        if into.status == "active" and item.status == "accepted" and item.settled is not None:
            settle_proposal(moment, into, item.status, item.settled)
    elif isinstance(item, Decision) and isinstance(into, Decision):
        _merge_decision(memory, item, into)
    item.merged = into.ref
    _retire(memory, item)


def _merge_proposal(memory: Memory, item: Proposal, into: Proposal) -> None:
    merges.merge_votes(memory, item, into)
    for name, reaction in item.reactions.items():
        into.reactions[name] = later = _later(into.reactions.get(name), reaction)
        memory.cites.note(into, later.origin)
    if item.reactions:
        into.tally = count_reactions(into)
    into.mentioned = max(into.mentioned, item.mentioned)
    memory.order_live()
    for decision in memory.decisions.values():
        if decision.resolves == item.ref:
            decision.resolves = into.ref
    memory.order_resolving()


def _merge_decision(memory: Memory, item: Decision, into: Decision) -> None:
    for mine, theirs in zip(_sides(item), _sides(into), strict=True):
        for name, origin in mine.items():
            if all(name not in side for side in _sides(into)):
                theirs[name] = origin
                memory.cites.note(into, origin)
    if not into.shrunk:
        into.tally = count_sides(into)


def _sides(decision: Decision) -> tuple[dict[str, Origin], dict[str, Origin], dict[str, Origin]]:
    return decision.supporters, decision.dissenters, decision.abstainers


def _later(reaction: Reaction | None, other: Reaction) -> Reaction:
    if reaction is None or reaction.origin.cites[0].n < other.origin.cites[0].n:
        return other
    return reaction


def alias_participant(moment: FoldStep, nick: str, name: str) -> None:
    """From here on `nick` is another name of `name`, and was all along.

    Nobody shares the name of the server, whose votes and results need no leave.
    """
    memory = moment.memory
    known = memory.named(name)
    other = memory.named(nick)
    if other == known:
        return
    if VOICE in (other, known):
        moment.record_fact("floor.refused", None, by=moment.participant, what="alias")
        return
    reflections.adopt_occasions(memory)
    for old, canonical in list(memory.aliases.items()):
        if canonical == other:
            memory.aliases[old] = known
    memory.aliases[other] = known
    notebooks.merge_notes(memory, other, known)
    merges.rename_in_window(memory, other, known)
    gone = memory.participants.pop(other, None)
    if gone is not None:
        _join(memory.participant(known), gone, memory)
    _rename(memory, other, known)
    exchanges.rename_speaker(memory, other, known)
    tool_cache.rename_user(memory, other, known)
    votes.merge_voters(memory, other, known)
    seats.merge_seats(memory, other, known)
    memory.order_names()
    memory.order_outspoken()
    memory.govern(memory.settings)
    reflections.begin_notes(memory)
    moment.record_fact("participant.aliased", None, alias=nick, participant=known)


def _join(person: Participant, gone: Participant, memory: Memory) -> None:
    person.messages += gone.messages
    for on, position in gone.positions.items():
        person.positions[on] = _later_position(person.positions.get(on), position)
    merged = sorted({*person.contributions, *gone.contributions}, key=lambda c: (c.n, c.start))
    person.contributions = merged
    enforce_caps(person, memory.settings.caps)
    person.last = _newest(person)


def _later_position(position: Position | None, other: Position) -> Position:
    return other if position is None or position.cite.n < other.cite.n else position


def _rename(memory: Memory, old: str, new: str) -> None:
    """Put `new` for `old` wherever memory still names participants in full."""
    positions.rename_participant(memory, old, new)
    for proposal in memory.proposals.values():
        _rename_maker(proposal, old, new)
        if (reaction := proposal.reactions.pop(old, None)) is not None:
            proposal.reactions[new] = _later(proposal.reactions.get(new), reaction)
            proposal.tally = count_reactions(proposal)
    for decision in memory.decisions.values():
        _rename_maker(decision, old, new)
        for side in _sides(decision):
            if (origin := side.pop(old, None)) is not None:
                if all(new not in other for other in _sides(decision)):
                    side[new] = origin
                decision.tally = count_sides(decision)


def _rename_maker(item: Proposal | Decision, old: str, new: str) -> None:
    item.participant = new if item.participant == old else item.participant
    item.typist = new if item.typist == old else item.typist
