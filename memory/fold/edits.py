"""Other words for a message: what the old ones did is taken back, the new ones are read anew.

A proposal of the old words keeps its handle where the new ones propose too, and whoever took a side
on it stands there still, from before the edit; else it is withdrawn. A side that the old words
took is no side any more unless the new ones take it. Once a vote or a decision rests on a
message, or what it spoke of is settled, its words stay. Moments before the edit keep the old ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from parley.memory.exchanges import exchanges
from parley.memory.extraction.patterns.detections import Detection
from parley.memory.extraction.structure import merges, scribes
from parley.memory.items import positions
from parley.memory.items.item_acts import STANCES, apply_acts, react
from parley.memory.items.item_caps import compact_proposals
from parley.memory.items.links import Link
from parley.memory.items.proposals import count_reactions, settle_proposal
from parley.memory.notebooks import history_events
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Cite, Decision, Fact, Origin, Proposal
from parley.memory.state.line_state import EditedMessage
from parley.memory.state.memory import Memory
from parley.memory.writing.answered_turns import forget_turn
from parley.memory.writing.written_items import reads_as_document, take_written

RULE: Final = "message.edited"  # by which what the new words do not propose is withdrawn


def fold_edit(memory: Memory, n: int, entry: Any) -> list[Fact]:
    """Fold a `message.edited`; one that `edit_refusal` refuses changes nothing."""
    moment = FoldStep(memory, n, memory.named(entry.participant), entry.content, entry.at)
    who, of = moment.participant, entry.of
    moment.topic = entry.topic
    if reason := edit_refusal(memory, who, of):
        moment.record_fact("edit.ignored", None, participant=who, of=of, reason=reason)
        return moment.facts
    own = [item for item in _born_at(memory, of) if isinstance(item, Proposal)]
    sides = _take_back(memory, who, of)
    _forget_words(memory, of)
    memory.edited[of] = EditedMessage(n, who)
    moment.record_fact("message.edited", None, participant=who, of=of, empty=not entry.content)
    moment.rewords = own
    if entry.content and who not in memory.bots:
        _read_anew(moment, entry, sides)
    for proposal in moment.rewords:
        if proposal.status == "active":
            origin = Origin((Cite(n), Cite(proposal.born)), "rule", RULE)
            settle_proposal(moment, proposal, "withdrawn", origin)
    memory.order_live()  # what several entries between two messages speak of is as new
    compact_proposals(memory)
    exchanges.edit_words(memory, of, entry.content)
    if memory.keeps_notes:
        history_events.record_edit(memory, n, who, entry)
    return moment.facts


def edit_refusal(memory: Memory, who: str, of: int) -> str:
    """Why the words of message `of` stay as `who`, a canonical name, wrote them; "" where they
    may be edited.

    Whose message it is, and that it is their last one, is the log's to tell.
    """
    edited = memory.edited.get(of)
    if not 0 < of <= memory.n:
        return f"there is no entry {of}"
    if memory.is_redacted(of):
        return "its words were taken out"
    if edited is not None and memory.named(edited.by) != who:
        return "it is somebody else's"
    if scribes.keeps_record(memory, who):
        return "who writes down what others say says it anew"
    holds = (_hold(memory, who, of, item) for item in _spoken_of(memory, who, of))
    return next(filter(None, holds), "")


def _hold(memory: Memory, who: str, of: int, item: Proposal | Decision) -> str:
    """Why words that `item` came of, or that speak of it, stay as they are; "" where nothing is."""
    if item.born == of and memory.named(item.participant) != who:
        return f"{item.handle} is somebody else's"
    if isinstance(item, Decision) or item.ref in memory.resolving:
        return f"a decision on {item.handle} rests on it"
    if item.voted:
        return f"{item.handle} was put to a vote"
    return "" if item.status == "active" else f"{item.handle} is {item.status} by now"


def _born_at(memory: Memory, n: int) -> list[Proposal | Decision]:
    items: list[Proposal | Decision] = []
    for item in map(memory.item, memory.at_refs.get(n, ())):
        if item is not None and all(item is not other for other in items):
            items.append(item)
    return items


def _spoken_of(memory: Memory, who: str, of: int) -> Iterator[Proposal | Decision]:
    """What message `of` proposed, or took a side on."""
    yield from _born_at(memory, of)
    for ref in sorted(memory.live):
        if _side_taken(memory.proposals[ref], who, of):
            yield memory.proposals[ref]
    person = memory.participants.get(who)
    stands = {} if person is None else person.positions
    for on in sorted(stands):
        if stands[on].cite.n == of and (item := memory.item(on)) is not None:
            yield item


def _side_taken(proposal: Proposal, who: str, of: int) -> bool:
    reaction = proposal.reactions.get(who)
    return reaction is not None and reaction.origin.cites[0].n == of


def _take_back(memory: Memory, who: str, of: int) -> list[Link]:
    """Take the sides that message `of` took from who took them; what they were on."""
    sides: list[Link] = []
    for ref in sorted(memory.live):
        proposal = memory.proposals[ref]
        if _side_taken(proposal, who, of):
            reaction = proposal.reactions.pop(who)
            proposal.tally = count_reactions(proposal)
            sides.append(Link(proposal, reaction.origin.link or "near"))
    positions.forget_entry(memory, who, of)
    return sides


def _forget_words(memory: Memory, of: int) -> None:
    merges.forget_entry(memory.structure, of, whole=True)
    forget_turn(memory.writing, of)
    memory.claims.kept = [claim for claim in memory.claims.kept if claim.n != of]


def _read_anew(moment: FoldStep, entry: Any, sides: list[Link]) -> None:
    memory, content = moment.memory, entry.content
    if reads_as_document(memory, content) and entry.act is None and take_written(moment, entry):
        return
    for detection in memory.reader.read(content, entry.act):
        if detection.act not in STANCES or detection.refs or entry.re is not None:
            apply_acts(moment, (detection,), entry.re)
        elif sides:
            _stay_on(moment, detection, sides)
        elif not detection.vote:  # a bare vote is on what was near when it was cast
            apply_acts(moment, (detection,), None)


def _stay_on(moment: FoldStep, detection: Detection, sides: list[Link]) -> None:
    """A side that names nothing is on what the old words were on."""
    for link in sides:
        if isinstance(link.item, Proposal):
            react(moment, detection, link, link.item, STANCES[detection.act])
