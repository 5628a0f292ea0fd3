"""What a counted vote does: settle its proposal, ratify the decision, put sides on record."""

from __future__ import annotations

from bus.entries import BallotCompleted
from memory.moment import Moment


def complete(moment: Moment, entry: BallotCompleted) -> None:
    """Carry out a ballot with consensus; one without settles nothing."""
