"""Speaking in turn: `round_robin` goes round, `scripted` goes through once."""

from __future__ import annotations

from parley.memory.arbitration import silence
from parley.memory.arbitration.gate import has_spent_turns
from parley.memory.arbitration.steps import Answer, Close, ElapsedTimes, Grant
from parley.memory.floor.bids import is_staying_out
from parley.memory.floor.seats import present_agents, speaking_order
from parley.memory.state.memory import Memory


def choose_next_turn(memory: Memory, waited: ElapsedTimes) -> Answer:
    """The grant that the order wants, or what follows when nobody in it has anything to say."""
    if memory.settings.floor.policy == "scripted":
        return _scripted(memory, waited)
    order = [name for name in speaking_order(memory) if _is_able(memory, name)]
    count = len(present_agents(memory))
    at = speaking_order(memory).index(memory.floor.served) + 1 if _was_served(memory) else 0
    upcoming = [*speaking_order(memory)[at:], *speaking_order(memory)[:at]]
    waiting = [
        name for name in upcoming if name in order and not is_staying_out(memory, name, count)
    ]
    if waiting:
        return Grant(waiting[0], {}, "round_robin"), None
    return silence.break_silence(memory, waited, order) if order else _deserted(memory, waited)


def _deserted(memory: Memory, waited: ElapsedTimes) -> Answer:
    """Nobody of the order can speak: whoever never came is waited for, then it is silence.

    A muted one may be let speak again, so that is for who muted it to end.
    """
    seats = memory.floor.seats
    if any(
        (seat := seats.get(name)) and seat.present and seat.muted for name in speaking_order(memory)
    ):
        return None, None
    left = memory.settings.floor.evaluation_ms - waited.epoch
    return (None, left) if left > 0 else silence.break_silence(memory, waited, [])


def _was_served(memory: Memory) -> bool:
    return memory.floor.served in speaking_order(memory)


def _is_able(memory: Memory, name: str) -> bool:
    seat = memory.floor.seats.get(name)
    if seat is None or not seat.present or seat.muted or seat.role == "observer":
        return False
    return seat.role == "person" or not has_spent_turns(memory, name)


def _scripted(memory: Memory, waited: ElapsedTimes) -> Answer:
    """Who is next in the script, where it stands; who never came is waited for and skipped."""
    rest = speaking_order(memory)[memory.floor.place :]
    if not rest:
        return Close("script over", ""), None
    if _is_able(memory, rest[0]):
        return Grant(rest[0], {}, "scripted"), None
    left = memory.settings.floor.evaluation_ms - waited.epoch
    if left > 0:
        return None, left
    present = next((name for name in rest if _is_able(memory, name)), None)
    return (
        (Close("script over", ""), None)
        if present is None
        else (
            Grant(present, {}, "scripted"),
            None,
        )
    )
