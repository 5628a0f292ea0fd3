"""The shapes of the rows that a memory gives, for programs; they stand beside the rows' makers."""

from __future__ import annotations

from parley.server.rows.item_shapes import (
    CandidateRow,
    DecisionRow,
    EndingRow,
    Evidence,
    PositionRow,
    ProposalRow,
    SideRow,
    SummaryRow,
)
from parley.server.verdicts.tallies import Tally

__all__ = [
    "CandidateRow",
    "DecisionRow",
    "EndingRow",
    "Evidence",
    "PositionRow",
    "ProposalRow",
    "SideRow",
    "SummaryRow",
    "Tally",
]
