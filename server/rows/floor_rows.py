"""The floor as a row: for JSON, for the page, for routes. Pure."""

from __future__ import annotations

from typing import Any

from parley.memory.arbitration.obstacles import find_stopping_vote
from parley.memory.state.memory import Memory


def floor_row(memory: Memory) -> dict[str, Any]:
    """The floor as JSON-ready data."""
    floor, vote = memory.floor, find_stopping_vote(memory)
    return {
        "policy": memory.settings.floor.policy,
        "epoch": floor.epoch,
        "holder": floor.holder or None,
        "paused": floor.paused or None,
        "bids": [
            {"participant": name, "urgency": bid.urgency, "intent": bid.intent, "re": bid.re}
            for name, bid in sorted(floor.bids.items())
        ],
        "passed": sorted(floor.passes),
        "muted": sorted(name for name, seat in floor.seats.items() if seat.muted),
        "vote": None if vote is None else vote.ref,
        "because": None if vote is None else vote.what,
        "turns": floor.turns,
        "hops": floor.hops,
    }
