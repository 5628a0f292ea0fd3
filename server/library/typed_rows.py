"""The shapes of the rows that a memory gives, for programs; they stand beside the rows' makers."""

from __future__ import annotations

from parley.server.rows.item_shapes import (
    DecisionRow,
    Evidence,
    PositionRow,
    ProposalRow,
    ReactionRow,
    SummaryRow,
    VoiceRow,
)
from parley.server.verdicts.tallies import Tally

__all__ = [
    "DecisionRow",
    "Evidence",
    "PositionRow",
    "ProposalRow",
    "ReactionRow",
    "SummaryRow",
    "Tally",
    "VoiceRow",
]
