"""Proposals, decisions and positions as rows: of minutes and routes, of the page, of tools. Pure.

What all rows of an item say is spelled out once; each form adds voices and cites as its readers
have them: word for word (`proposal_row`), as places (`page_…`), or by the names alone (`tool_…`).
`read` is what a model says of the items; without it an item has the status that the fold gave it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from parley.memory.extraction.model_claims.item_overlay import ClaimOverlay, listed_status
from parley.memory.items import echoes
from parley.memory.state.item_state import Decision, Origin, Position, Proposal, Reaction
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip
from parley.server.rows.cite_rows import (
    NO_RECORDS,
    RecordsByNumber,
    Row,
    cite_list,
    cite_places,
    cites_of,
    handle_of,
    late_origin_row,
    origin_row,
    origin_terms,
    pick,
    voice_row,
)
from parley.server.rows.entry_times import time_row
from parley.server.rows.item_shapes import (
    DecisionRow,
    DecisionTerms,
    ProposalRow,
    ProposalTerms,
    ReactionRow,
    Stand,
    VoiceRow,
)
from parley.server.verdicts.basis_words import basis_words
from parley.server.verdicts.decision_words import decision_text, list_objections
from parley.server.verdicts.plain_words import item_words
from parley.server.verdicts.tallies import item_sides, item_tally, settling_decision

SHORT: Final = 240  # characters of a proposal on the page


def decision_row(
    memory: Memory,
    decision: Decision,
    records: RecordsByNumber,
    read: ClaimOverlay | None = None,
) -> DecisionRow:
    """One decision with its supporters, its dissent and its evidence."""
    return {
        "handle": decision.handle,
        **_decision(decision, read, records),
        "text": decision_text(memory, decision),
        "basis": basis_words(decision.ratified or decision.origin),
        "supporters": _voices(decision.supporters, records),
        "dissenters": _voices(decision.dissenters, records),
        "abstainers": _voices(decision.abstainers, records),
        "tally": item_tally(memory, decision),
        "evidence": origin_row(decision.origin, records),
        "ratified": late_origin_row(decision.ratified, records),
        "disputed": late_origin_row(decision.disputed, records),
    }


def _voices(voices: dict[str, Origin], records: RecordsByNumber) -> list[VoiceRow]:
    return [voice_row(name, origin, records) for name, origin in voices.items()]


def page_decision_row(
    memory: Memory,
    decision: Decision,
    read: ClaimOverlay,
    records: RecordsByNumber = NO_RECORDS,
) -> Row:
    """One decision with the names on each side, the dissent, and what it replaced.

    What is against it comes with the words that say so, who says most first; whole sentences,
    where `records` has their entries.
    """
    row = _decision(decision, read, records)
    return {
        "ref": decision.handle,
        "text": decision_text(memory, decision),
        **pick(row, "status", "topic", "outcome", "participant", "n", "at", "at_from"),
        "cites": cite_list(decision.origin, decision.ratified, decision.disputed),
        **pick(row, "resolves", "superseded_by"),
        **{side: list(voices) for side, voices in decision_sides(decision).items()},
        "tally": item_tally(memory, decision),
        "dissent": dissent_rows(memory, decision, records),
        "tentative": decision.candidate,
        "basis": basis_words(decision.ratified or decision.origin),
        **origin_terms(decision.ratified or decision.origin),
    }


def dissent_rows(memory: Memory, item: Proposal | Decision, records: RecordsByNumber) -> list[Row]:
    """Who is against it in their words, who says most first."""
    return [
        {
            "participant": objection.participant,
            "text": objection.text,
            "n": objection.origin.cites[0].n,
            "cites": cite_list(objection.origin),
        }
        for objection in list_objections(memory, item, records)
    ]


def tool_decision_row(decision: Decision, read: ClaimOverlay) -> Row:
    """One decision with the names on each side in order, and every place that it rests on."""
    row = _decision(decision, read)
    return {
        "ref": decision.handle,
        **pick(row, "status", "tentative", "topic", "outcome", "participant", "n", "resolves"),
        **{side: sorted(voices) for side, voices in decision_sides(decision).items()},
        "cites": cite_places(cites_of(decision.origin, decision.ratified, decision.disputed)),
    }


def decision_sides(decision: Decision) -> dict[str, dict[str, Origin]]:
    """Who stands on each side, by name, with where they say so."""
    return {
        "supporters": decision.supporters,
        "dissenters": decision.dissenters,
        "abstainers": decision.abstainers,
    }


def _decision(
    decision: Decision, read: ClaimOverlay | None, records: RecordsByNumber = NO_RECORDS
) -> DecisionTerms:
    return {
        "status": decision.status if read is None else listed_status(read, decision),
        "tentative": decision.candidate,
        "topic": decision.topic,
        "outcome": decision.outcome,
        "participant": decision.participant,
        "n": decision.born,
        **time_row(decision.at, records.get(decision.born)),
        "resolves": handle_of("P", decision.resolves),
        "supersedes": handle_of("D", decision.supersedes),
        "superseded_by": handle_of("D", decision.superseded_by),
    }


def proposal_row(
    memory: Memory,
    proposal: Proposal,
    records: RecordsByNumber,
    read: ClaimOverlay | None = None,
) -> ProposalRow:
    """One proposal with who stands where on it, in their words."""
    return {
        "handle": proposal.handle,
        **_proposal(proposal, read, records),
        "reactions": [
            _reaction_row(proposal, name, reaction, records)
            for name, reaction in proposal.reactions.items()
        ],
        "tally": item_tally(memory, proposal),
        "evidence": origin_row(proposal.origin, records),
        "settled": late_origin_row(proposal.settled, records),
    }


def _reaction_row(
    proposal: Proposal, name: str, reaction: Reaction, records: RecordsByNumber
) -> ReactionRow:
    return {
        "participant": name,
        "stance": reaction.stance,
        "conditional": reaction.conditional,
        "counted": reaction.counted,
        "before_edit": _is_before_edit(proposal, reaction),
        **origin_row(reaction.origin, records),
    }


def _is_before_edit(proposal: Proposal, reaction: Reaction) -> bool:
    return reaction.origin.cites[0].n < proposal.edited


def page_proposal_row(memory: Memory, proposal: Proposal, read: ClaimOverlay) -> Row:
    """One proposal with the names on each side, and why it is as it is."""
    row = _proposal(proposal, read)
    why = echoes.find_reason(memory, proposal)
    return {
        "ref": proposal.handle,
        "status": row["status"],
        "text": clip(item_words(proposal.text or proposal.topic, proposal.origin.rule), SHORT),
        **pick(row, "topic", "participant", "n"),
        "cites": cite_list(proposal.origin),
        "stances": item_sides(memory, proposal),
        "before_edit": [
            name
            for name, reaction in proposal.reactions.items()
            if _is_before_edit(proposal, reaction)
        ],
        "tally": item_tally(memory, proposal),
        **pick(row, "at", "tentative", "amends", "echoes"),
        **_settled_by(memory, proposal),
        "settled_n": echoes.settling_entry(proposal),
        "because": None if why is None else why._asdict(),
    }


def _settled_by(memory: Memory, proposal: Proposal) -> Row:
    """The decision that accepted it, and what has taken the place of that since."""
    decision = settling_decision(memory, proposal)
    return {
        "decision": None if decision is None else decision.handle,
        "replaced_by": None if decision is None else handle_of("D", decision.superseded_by),
    }


def tool_proposal_row(proposal: Proposal, read: ClaimOverlay) -> Row:
    """One proposal with the names on each side in order, and every place that it rests on."""
    row = _proposal(proposal, read)
    return {
        "ref": proposal.handle,
        **pick(row, "status", "tentative", "topic", "text", "participant", "n", "amends"),
        **_stances(sorted(proposal.reactions.items())),
        "cites": cite_places(cites_of(proposal.origin, proposal.settled)),
    }


def _proposal(
    proposal: Proposal, read: ClaimOverlay | None, records: RecordsByNumber = NO_RECORDS
) -> ProposalTerms:
    return {
        "status": proposal.status if read is None else listed_status(read, proposal),
        "tentative": proposal.candidate,
        "topic": proposal.topic,
        "text": proposal.text,
        "participant": proposal.participant,
        "n": proposal.born,
        **time_row(proposal.at, records.get(proposal.born)),
        "amends": handle_of("P", proposal.amends),
        "echoes": handle_of("P", proposal.echoes),
        "superseded_by": handle_of("P", proposal.superseded_by),
    }


def _stances(reactions: Iterable[tuple[str, Reaction]]) -> dict[str, list[str]]:
    """The names on each side, in the order of `reactions`."""
    names: dict[str, list[str]] = {"support": [], "oppose": [], "neutral": []}
    for name, reaction in reactions:
        names[reaction.stance].append(name)
    return names


def echo_row(proposal: Proposal, memory: Memory) -> Row:
    """A proposal that repeats an earlier one, and what became of that."""
    earlier = memory.proposals[proposal.echoes or 0]
    why = echoes.find_reason(memory, earlier)
    return {
        "handle": proposal.handle,
        "n": proposal.born,
        "topic": proposal.topic,
        "participant": proposal.participant,
        "repeats": earlier.handle,
        "repeats_n": earlier.born,
        "status": earlier.status,
        "settled_n": echoes.settling_entry(earlier),
        "similarity": proposal.similarity,
        "shared": list(proposal.shared),
        "model": proposal.alike_by or None,
        "reoffered": echoes.is_reoffered(proposal, earlier),
        "because": None if why is None else why._asdict(),
    }


def page_echo_row(proposal: Proposal, memory: Memory) -> Row:
    """`echo_row` for the page: slim."""
    row = echo_row(proposal, memory)
    return {
        "ref": row["handle"],
        **pick(row, "n", "participant", "repeats", "repeats_n", "status", "settled_n"),
        **pick(row, "similarity", "reoffered"),
    }


def position_row(position: Position) -> Stand:
    """Where somebody stands on one thing, and where they stood before."""
    return {
        "on": position.on,
        "stance": position.stance,
        "n": position.cite.n,
        "text": position.text,
        "was": position.was,
        "was_n": position.was_cite.n if position.was_cite else None,
        "moved_by": position.moved_by or None,
        "moved_n": position.moved_n or None,
    }


def tool_position_row(name: str, position: Position) -> Row:
    """Where `name` stands on one thing, and the places where they said so."""
    return {
        "participant": name,
        **pick(position_row(position), "on", "stance", "text", "was", "n"),
        "cites": cite_places(filter(None, (position.cite, position.was_cite))),
    }


def item_entries(item: Proposal | Decision) -> set[int]:
    """The entries that a row of `item` quotes, or has its time from."""
    return {item.born, *(cite.n for cite in cites_of(*origins(item)))}


def origins(item: Proposal | Decision) -> Iterator[Origin]:
    """Where it comes from, and every stance and change of state on it."""
    yield item.origin
    late: Iterable[Origin | None]
    if isinstance(item, Proposal):
        yield from (reaction.origin for reaction in item.reactions.values())
        late = (item.settled,)
    else:
        for voices in decision_sides(item).values():
            yield from voices.values()
        late = (item.ratified, item.disputed)
    yield from (origin for origin in late if origin is not None)
