"""Proposals and decisions of the ledger as rows: of minutes and routes, of the page, of tools.

What all rows of an item say is written once; each form adds sides and cites as its readers have
them: with the words (`proposal_row`), as places (`page_…`), or by names only (`tool_…`). Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from parley.memory.items import echoes
from parley.memory.ledger.ledger_rows import Ending, LedgerItem, Side
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.item_state import Decision, Origin, Proposal
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
)
from parley.server.rows.entry_times import time_row
from parley.server.rows.item_shapes import (
    CandidateRow,
    DecisionRow,
    DecisionTerms,
    Denial,
    EndingRow,
    ItemTerms,
    ProposalRow,
    ProposalTerms,
    Shown,
    SideRow,
)
from parley.server.verdicts.basis_words import basis_words
from parley.server.verdicts.decision_words import decision_text, item_text, list_objections
from parley.server.verdicts.status_words import candidate_words, denial_words, status_words
from parley.server.verdicts.tallies import item_sides, item_tally, settling_decision, shown_sides

SHORT: Final = 240  # characters of a proposal on the page
SIDES: Final = {"supporters": "support", "dissenters": "oppose", "abstainers": "neutral"}


def decision_row(memory: Memory, item: LedgerItem, records: RecordsByNumber) -> DecisionRow:
    """One decision with its supporters, its dissent and its evidence."""
    sides = side_rows(memory, item, records)
    supporters, dissenters, abstainers = (
        [row for row in sides if row["stance"] == stance] for stance in SIDES.values()
    )
    known = item.item if isinstance(item.item, Decision) else None
    return {
        "handle": item.handle,
        **_decision(item, records),
        **_shown(memory, item, records),
        "text": decision_text(memory, item),
        "supporters": supporters,
        "dissenters": dissenters,
        "abstainers": abstainers,
        "ratified": late_origin_row(known.ratified if known else None, records),
        "disputed": late_origin_row(known.disputed if known else None, records),
    }


def proposal_row(memory: Memory, item: LedgerItem, records: RecordsByNumber) -> ProposalRow:
    """One proposal with each side on it, in the words that say so."""
    settled = item.item.settled if isinstance(item.item, Proposal) else None
    return {
        "handle": item.handle,
        **_proposal(item, records),
        **_shown(memory, item, records),
        "reactions": side_rows(memory, item, records),
        "settled": late_origin_row(settled, records),
    }


def _shown(memory: Memory, item: LedgerItem, records: RecordsByNumber) -> Shown:
    return {
        "basis": basis_words(item_basis(item)),
        "tally": item_tally(memory, item),
        "evidence": origin_row(item.origin, records),
        "confirmed": late_origin_row(item.confirmed, records),
        "denied": denial_row(item, records),
    }


def item_basis(item: LedgerItem) -> Origin:
    """What it rests on: what ratified it, else where it was found."""
    ratified = item.item.ratified if isinstance(item.item, Decision) else None
    return ratified or (item.outcomes[-1].origin if item.outcomes else item.origin)


def denial_row(item: LedgerItem, records: RecordsByNumber) -> Denial | None:
    """Who says that it is no item, and why; None if nobody does."""
    if item.denied is None:
        return None
    row = origin_row(item.denied, records)
    return {**row, "reason": item.doubt, "says": denial_words(item)}


def side_rows(memory: Memory, item: LedgerItem, records: RecordsByNumber) -> list[SideRow]:
    """Each side on it, with the words that say so."""
    edited = item.item.edited if isinstance(item.item, Proposal) else 0
    return [
        {
            "participant": side.participant,
            "stance": side.stance,
            "as_read": side.as_read,
            "counted": side.counted,
            "conditional": side.conditional,
            "condition": side.condition or None,
            "before_edit": side.n < edited,
            **origin_row(side.origin, records),
        }
        for side in shown_sides(memory, item).values()
    ]


def page_decision_row(
    memory: Memory, item: LedgerItem, records: RecordsByNumber = NO_RECORDS
) -> Row:
    """One decision with the names on each side, the dissent, and what it replaced.

    What is against it comes with the words that say so, who says most first; whole sentences,
    if `records` has their entries.
    """
    row = _decision(item, records)
    sides, basis = item_sides(memory, item), item_basis(item)
    known = item.item if isinstance(item.item, Decision) else None
    late = (known.ratified, known.disputed) if known else ()
    return {
        "ref": item.handle,
        "text": decision_text(memory, item),
        **pick(row, "status", "status_text", "as_read", "shelf", "topic", "outcome", "statement"),
        **pick(row, "participant", "n", "at", "at_from"),
        "cites": cite_list(item.origin, *late),
        **pick(row, "resolves", "settles", "superseded_by", "ending"),
        **{name: sides[stance] for name, stance in SIDES.items()},
        "read_sides": read_names(memory, item),
        "tally": item_tally(memory, item),
        "dissent": dissent_rows(memory, item, records),
        "basis": basis_words(basis),
        **origin_terms(basis),
    }


def read_names(memory: Memory, item: LedgerItem) -> list[str]:
    """Whose sides on it a model read."""
    return [name for name, side in shown_sides(memory, item).items() if side.as_read]


def dissent_rows(memory: Memory, item: LedgerItem, records: RecordsByNumber) -> list[Row]:
    """Who is against it in their words, who says most first."""
    return [
        {
            "participant": objection.participant,
            "text": objection.text,
            "n": objection.side.n,
            "as_read": objection.side.as_read,
            "cites": cite_list(objection.side.origin),
        }
        for objection in list_objections(memory, item, records)
    ]


def tool_decision_row(memory: Memory, item: LedgerItem) -> Row:
    """One decision with the names on each side in order, and every place that it rests on."""
    row, sides = _decision(item), item_sides(memory, item)
    known = item.item if isinstance(item.item, Decision) else None
    late = (known.ratified, known.disputed) if known else ()
    return {
        "ref": item.handle,
        **pick(row, "status", "status_text", "as_read", "topic", "outcome", "statement"),
        **pick(row, "participant", "n", "resolves", "settles"),
        **{name: sorted(sides[stance]) for name, stance in SIDES.items()},
        "read_sides": sorted(read_names(memory, item)),
        "cites": cite_places(cites_of(item.origin, *late)),
    }


def _decision(item: LedgerItem, records: RecordsByNumber = NO_RECORDS) -> DecisionTerms:
    known = item.item if isinstance(item.item, Decision) else None
    later = handle_of("D", known.superseded_by if known else None)
    return {
        **_terms(item, later, records),
        "outcome": item.text,
        "resolves": item.settles[0] if item.settles else None,
        "settles": list(item.settles),
        "supersedes": handle_of("D", known.supersedes if known else None),
    }


def page_proposal_row(memory: Memory, item: LedgerItem) -> Row:
    """One proposal with the names on each side, and why it is as it is."""
    row = _proposal(item)
    known = item.item if isinstance(item.item, Proposal) else None
    why = None if known is None else echoes.find_reason(memory, known)
    edited = known.edited if known else 0
    settled = echoes.settling_entry(known) if known else None
    return {
        "ref": item.handle,
        **pick(row, "status", "status_text", "as_read", "shelf"),
        "text": clip(item_text(memory, item), SHORT),
        **pick(row, "topic", "statement", "participant", "n"),
        "cites": cite_list(item.origin),
        "stances": item_sides(memory, item),
        "read_sides": read_names(memory, item),
        "before_edit": [name for name, side in item.sides.items() if side.n < edited],
        "tally": item_tally(memory, item),
        **pick(row, "at", "relation", "related", "question", "echoes", "ending"),
        **_settled_by(memory, item),
        "settled_n": item.ending.n if item.ending else settled,
        "because": None if why is None else why._asdict(),
    }


def _settled_by(memory: Memory, item: LedgerItem) -> Row:
    """The decision that settled it, and what has taken the place of that since."""
    decision = settling_decision(memory, item)
    if decision is None or not isinstance(decision.item, Decision):
        return {"decision": (item.ending and item.ending.decision) or None, "replaced_by": None}
    later = handle_of("D", decision.item.superseded_by)
    return {"decision": decision.handle, "replaced_by": later}


def tool_proposal_row(memory: Memory, item: LedgerItem) -> Row:
    """One proposal with the names on each side in order, and every place that it rests on."""
    row, sides = _proposal(item), item_sides(memory, item)
    settled = item.item.settled if isinstance(item.item, Proposal) else None
    return {
        "ref": item.handle,
        **pick(row, "status", "status_text", "as_read", "topic", "text", "statement"),
        **pick(row, "participant", "n", "relation", "related"),
        **{stance: sorted(names) for stance, names in sides.items()},
        "read_sides": sorted(read_names(memory, item)),
        "cites": cite_places(cites_of(item.origin, settled)),
    }


def _proposal(item: LedgerItem, records: RecordsByNumber = NO_RECORDS) -> ProposalTerms:
    known = item.item if isinstance(item.item, Proposal) else None
    later = handle_of("P", known.superseded_by if known else None)
    return {
        **_terms(item, later, records),
        "text": item.text,
        "relation": item.relation,
        "related": list(item.related),
        "question": item.question or None,
        "echoes": handle_of("P", known.echoes if known else None),
    }


def _terms(item: LedgerItem, later: str | None, records: RecordsByNumber) -> ItemTerms:
    ending = item.ending or (item.outcomes[-1] if item.outcomes else None)
    replaced = ending is not None and ending.word == "replaced" and item.kind == "proposal"
    return {
        "status": item.status,
        "status_text": status_words(item),
        "as_read": item.as_read,
        "shelf": item.shelf,
        "topic": item.topic,
        "statement": item.statement or None,
        "participant": item.participant,
        "n": item.born,
        **time_row(item.item.at if item.item else None, records.get(item.born)),
        "superseded_by": (ending.detail or None) if ending and replaced else later,
        "ending": None if ending is None else _ending_row(ending),
    }


def _ending_row(ending: Ending) -> EndingRow:
    return {
        "word": ending.word,
        "by": ending.by,
        "right": ending.right,
        "reporter": ending.reporter or None,
        "detail": ending.detail or None,
        "n": ending.n,
        "decision": ending.decision or None,
    }


def candidate_row(memory: Memory, item: LedgerItem) -> CandidateRow:
    """What may be an item, how it was found, and how often that is right."""
    return {
        "ref": item.handle,
        "kind": item.kind,
        "text": item_text(memory, item),
        "participant": item.participant,
        "n": item.born,
        "cites": cite_list(item.origin),
        "basis": basis_words(item.origin),
        "why": candidate_words(item),
        **origin_terms(item.origin),
    }


def echo_rows(memory: Memory) -> list[Row]:
    """The firm proposals that repeat an earlier one, oldest first."""
    ledger = ledger_of(memory)
    rows = []
    for item in ledger.proposals():
        if item.shelf == "firm" and isinstance(item.item, Proposal) and item.item.echoes:
            earlier = ledger.item(f"P{item.item.echoes}")
            if earlier is not None and earlier.shelf != "denied":
                rows.append(echoes.echo_row(item.item, memory))
    return rows


def page_echo_row(row: Row) -> Row:
    """A row of `echo_rows` for the page: slim."""
    return {
        "ref": row["handle"],
        **pick(row, "n", "participant", "repeats", "repeats_n", "status", "settled_n"),
        **pick(row, "similarity", "reoffered"),
    }


def item_entries(memory: Memory, item: LedgerItem) -> set[int]:
    """The entries that a row of `item` quotes, or has its time from."""
    return {item.born, *(cite.n for cite in cites_of(*origins(memory, item)))}


def origins(memory: Memory, item: LedgerItem) -> Iterator[Origin]:
    """Where it comes from, then every side on it and every change of its state."""
    sides: dict[str, Side] = shown_sides(memory, item)
    endings = [item.ending, *item.outcomes]
    late: list[Origin | None] = [item.confirmed, item.denied]
    if isinstance(item.item, Proposal):
        late.append(item.item.settled)
    elif isinstance(item.item, Decision):
        late += [item.item.ratified, item.item.disputed]
    yield item.origin
    yield from (side.origin for side in sides.values())
    yield from (ending.origin for ending in endings if ending is not None)
    yield from (origin for origin in late if origin is not None)
