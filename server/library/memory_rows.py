"""A memory's items as typed rows: alike of a memory alone and of a session. Pure.

`records` has the entries whose words are quoted, by n; what it lacks is cited without a quote.
"""

from __future__ import annotations

from collections.abc import Mapping

from parley.bus.entries import Record
from parley.memory.errors import UnknownRef
from parley.memory.extraction.model_claims.item_overlay import overlay_claims
from parley.memory.state.memory import Memory
from parley.server.rows.cite_rows import origin_row
from parley.server.rows.digest_rows import summary_rows
from parley.server.rows.item_rows import decision_row, origins, position_row, proposal_row
from parley.server.rows.item_shapes import (
    DecisionRow,
    Evidence,
    PositionRow,
    ProposalRow,
    SummaryRow,
)


def list_proposals(memory: Memory, records: Mapping[int, Record]) -> list[ProposalRow]:
    """Every proposal, oldest first; `status` says which are open."""
    read = overlay_claims(memory)
    return [
        proposal_row(memory, proposal, records, read)
        for proposal in memory.proposals.values()
        if proposal.stands
    ]


def list_decisions(memory: Memory, records: Mapping[int, Record]) -> list[DecisionRow]:
    """Every decision, oldest first."""
    read = overlay_claims(memory)
    return [
        decision_row(memory, decision, records, read)
        for decision in memory.decisions.values()
        if decision.stands
    ]


def list_positions(memory: Memory) -> list[PositionRow]:
    """Where everybody stands, by participant."""
    return [
        {"participant": participant.name, **position_row(position)}
        for participant in memory.participants.values()
        for position in participant.positions.values()
    ]


def list_summaries(memory: Memory) -> list[SummaryRow]:
    """The standing summaries in the order of the talk."""
    return summary_rows(memory)


def list_evidence(memory: Memory, records: Mapping[int, Record], handle: str) -> list[Evidence]:
    """The words that an item (P3, D1) rests on: its own, then each stance on it and change.

    Raises `UnknownRef`.
    """
    item = memory.item(handle)
    if item is None:
        raise UnknownRef(handle)
    return [origin_row(origin, records) for origin in origins(item)]
