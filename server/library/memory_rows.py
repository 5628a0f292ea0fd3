"""A memory's items as typed rows: alike of a memory alone and of a session. Pure.

`records` has the entries whose words are quoted, by n; what it lacks is cited without a quote.
"""

from __future__ import annotations

from collections.abc import Mapping

from parley.bus.entries import Record
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.lookup import missing_item
from parley.memory.state.memory import Memory
from parley.server.rows.cite_rows import origin_row
from parley.server.rows.digest_rows import firm_items, summary_rows
from parley.server.rows.item_rows import candidate_row, decision_row, origins, proposal_row
from parley.server.rows.item_shapes import (
    CandidateRow,
    DecisionRow,
    Evidence,
    PositionRow,
    ProposalRow,
    SummaryRow,
)
from parley.server.rows.position_rows import position_rows


def list_proposals(memory: Memory, records: Mapping[int, Record]) -> list[ProposalRow]:
    """Every firm proposal, oldest first; `status` says which are open."""
    items = (item for item in firm_items(memory) if item.kind == "proposal")
    return [proposal_row(memory, item, records) for item in items]


def list_decisions(memory: Memory, records: Mapping[int, Record]) -> list[DecisionRow]:
    """Every firm decision, oldest first."""
    items = (item for item in firm_items(memory) if item.kind == "decision")
    return [decision_row(memory, item, records) for item in items]


def list_candidates(memory: Memory) -> list[CandidateRow]:
    """What may be a proposal or a decision and is on no list of them, newest first."""
    return [candidate_row(memory, item) for item in ledger_of(memory).candidates()]


def list_positions(memory: Memory) -> list[PositionRow]:
    """The sides that everybody has, by participant."""
    return position_rows(memory)


def list_summaries(memory: Memory) -> list[SummaryRow]:
    """The standing summaries in the order of the talk."""
    return summary_rows(memory)


def list_evidence(memory: Memory, records: Mapping[int, Record], handle: str) -> list[Evidence]:
    """The words that an item (P3, D1, M17) rests on: its own, then each side on it and change.

    Raises `UnknownRef`.
    """
    item = ledger_of(memory).item(handle)
    if item is None:
        raise missing_item(memory, handle)
    return [origin_row(origin, records) for origin in origins(memory, item)]
