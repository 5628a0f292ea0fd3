"""An idea that comes back: who said it before, and what became of it, told to everyone once."""

from __future__ import annotations

from memory.floor.steps import Nudge
from memory.items import Position, Proposal
from memory.state import Memory
from memory.text import clip, one_line

_REASON = 120  # characters of why it went as it did


def telling(memory: Memory) -> Nudge | None:
    """The warning that is due: of the oldest proposal that repeats another and was not told."""
    if memory.settings.floor.policy == "open" and not _has_agents(memory):
        return None
    for ref in memory.floor.circles:
        made = memory.proposal(ref)
        if made is None or made.ref != ref or made.echoes is None:
            continue  # struck or merged since: there is nothing to warn of
        earlier = memory.proposal(made.echoes)
        if earlier is not None and earlier.ref != ref:
            content = f"like {earlier.handle} of message {earlier.born}, {_fate(memory, earlier)}"
            return Nudge("", "circling", made.handle, earlier.handle, content)
    return None


def _has_agents(memory: Memory) -> bool:
    return any(seat.role == "agent" for seat in memory.floor.seats.values())


def _fate(memory: Memory, earlier: Proposal) -> str:
    support, oppose, _ = earlier.tally
    if earlier.status == "active":
        return f"still open, {support} for and {oppose} against"
    votes = f"{oppose}-{support}" if earlier.status == "rejected" else f"{support}-{oppose}"
    told = f"{earlier.status} {votes}"
    if earlier.settled is not None:
        told += f" at message {earlier.settled.cites[0].n}"
    reason = _reason(memory, earlier)
    return told + (f' because "{clip(one_line(reason), _REASON)}"' if reason else "")


def _reason(memory: Memory, earlier: Proposal) -> str:
    """The longest sentence of those who had their way, none where it was nobody's."""
    stance = {"rejected": "oppose", "accepted": "support"}.get(earlier.status)
    found: list[Position] = [
        held
        for person in memory.participants.values()
        if (held := person.positions.get(earlier.handle)) is not None
        and held.stance == stance
        and held.cite.n != earlier.born
    ]
    longest = max(found, key=lambda held: (len(held.text), held.cite.n, held.text), default=None)
    return "" if longest is None else longest.text
