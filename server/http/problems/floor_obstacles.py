"""What keeps an agent from the floor, in the words that a refusal and `GET …/floor` share."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from parley.memory.arbitration.obstacles import Obstacle

# What gets an agent on, by what is in its way; a problem says the same whatever the door.
_CURES: Final = {
    "vote": "cast a ballot with POST …/votes/{ref}/ballots, or the tool vote",
    "holder": "say it again then",
    "bids": "say it again",
    "rests": "say it again once somebody else spoke",
    "paused": "say it again then",
}


def end_time(left_ms: int | None) -> str | None:
    """When so many ms from now are over, as RFC 3339 to the second; None where nobody knows."""
    if left_ms is None:
        return None
    return f"{datetime.now(UTC) + timedelta(milliseconds=left_ms):%Y-%m-%dT%H:%M:%SZ}"


def describe_obstacle(obstacle: Obstacle, until: str | None) -> str:
    """What stands in the way, until when, and what to do."""
    because = obstacle.what if until is None else f"{obstacle.what} until {until}"
    if cure := _CURES.get(obstacle.kind):
        because += f"; {cure.format(ref=obstacle.ref)}"
    return because
