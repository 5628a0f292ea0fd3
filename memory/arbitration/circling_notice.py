"""An idea that comes back: who said it before, and what became of it, told to everyone once."""

from __future__ import annotations

from parley.memory.arbitration.steps import Nudge
from parley.memory.items import echoes
from parley.memory.state.memory import Memory


def find_circling_notice(memory: Memory) -> Nudge | None:
    """The warning that is due: of the oldest proposal that repeats another and was not told."""
    if memory.settings.floor.policy == "open" and not _has_agents(memory):
        return None
    for ref in memory.floor.circles:
        made = memory.proposal(ref)
        if made is None or made.ref != ref or made.echoes is None or made.candidate:
            continue  # struck or merged since, or unsure: there is nothing to warn of
        earlier = memory.proposal(made.echoes)
        if earlier is not None and earlier.ref != ref and not earlier.candidate:
            fate = echoes.describe_fate(memory, earlier)
            content = f"like {earlier.handle} of message {earlier.born}, {fate}"
            return Nudge("", "circling", made.handle, earlier.handle, content)
    return None


def _has_agents(memory: Memory) -> bool:
    return any(seat.role == "agent" for seat in memory.floor.seats.values())
