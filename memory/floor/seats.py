"""Seats: who sits at the table, in which role, and what they may do there."""

from __future__ import annotations

from typing import Final

from parley.bus.entries import ACTS, LONGEST_ANSWER_MS, ParticipantJoined, ParticipantLeft
from parley.memory.floor import spending
from parley.memory.state.floor_state import Floor, Seat
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip
from parley.memory.voice import VOICE

SEAT_FIELDS: Final = 200  # characters of a reason that is kept
_HEAVIEST: Final = 1_000_000  # as at the border: what a tally sums stays within 64 bits


def is_allowed(memory: Memory, by: str | None, capability: str) -> bool:
    """Whether `by` may do that. None is the server; chairs may do all of it.

    A person who took no seat, or one that says nothing of it, may call votes.
    """
    if by is None:
        return True
    name = memory.named(by)
    if name in memory.chairs:
        return True
    seat = memory.floor.seats.get(name)
    if seat is None or (seat.may is None and seat.role == "person"):
        return capability == "vote"
    return seat.may is not None and (capability in seat.may or "moderate" in seat.may)


def may_act(memory: Memory, name: str, act: str) -> bool:
    """Whether the seat of `name` lets `act` be said; a list without any act lets all.

    Chairs may say all of them, and so may who has no seat.
    """
    seat = memory.floor.seats.get(name)
    if seat is None or not seat.may or name in memory.chairs:
        return True
    return act in seat.may or not any(word in ACTS for word in seat.may)


def present_agents(memory: Memory) -> list[str]:
    """The agents that are present, as they joined."""
    agents = [
        (seat.order, name)
        for name, seat in memory.floor.seats.items()
        if seat.present and seat.role == "agent"
    ]
    return [name for _, name in sorted(agents)]


def has_person(memory: Memory) -> bool:
    """True while somebody sits there who speaks without the floor."""
    return any(seat.present and seat.role == "person" for seat in memory.floor.seats.values())


def answer_ms(memory: Memory, name: str) -> int:
    """How long seat `name` is given to answer: what it states, else what the session gives.

    Who does not evaluate by itself is given as long as a holder has to speak.
    """
    seat, setting = memory.floor.seats[name], memory.settings.floor
    if seat.answer_ms is not None:
        return seat.answer_ms
    return setting.evaluation_ms if seat.listens == "evaluates" else setting.lease_ms


def lease_ms(memory: Memory, name: str) -> int:
    """How long `name` may hold the floor: as the session has it, or longer where it says so."""
    seat, lease = memory.floor.seats.get(name), memory.settings.floor.lease_ms
    return lease if seat is None or seat.answer_ms is None else max(lease, seat.answer_ms)


def speaking_order(memory: Memory) -> list[str]:
    """Who speaks in turn: the setting's order, or the agents as they joined; the finisher last."""
    setting = memory.settings.floor
    seats = memory.floor.seats
    joined = sorted((seat.order, name) for name, seat in seats.items() if seat.role == "agent")
    order = [memory.named(name) for name in setting.order] or [name for _, name in joined]
    if setting.policy != "scripted" and setting.finisher:
        last = memory.named(setting.finisher)
        order = [*(name for name in order if name != last), last]
    return order


def withdraw_bid(floor: Floor, name: str) -> None:
    """Forget that `name` asked for the floor, or passed."""
    floor.bids.pop(name, None)
    floor.passes.pop(name, None)


def take_seat(moment: FoldStep, entry: ParticipantJoined) -> None:
    """A participant takes its seat, anew where it had one."""
    memory, name = moment.memory, moment.participant
    floor = memory.floor
    if not name or VOICE in (name, entry.participant):
        moment.record_fact("floor.refused", None, by=entry.participant, what="seat")
        return
    seat = floor.seats.get(name)
    if seat is None:
        order = 1 + max((seat.order for seat in floor.seats.values()), default=0)
        seat = floor.seats[name] = Seat(order=order, since=floor.turns)
        memory.learn(name)
    elif not seat.present:
        seat.since = floor.turns
    if seat.seat != entry.seat:
        spending.book_lost_calls(moment, name)
    _furnish(seat, entry)
    memory.regard_layers()
    moment.record_fact("seat.taken", None, participant=name, role=seat.role)


def _furnish(seat: Seat, entry: ParticipantJoined) -> None:
    seat.present, seat.seat, seat.role = True, entry.seat, entry.role
    seat.interests, seat.may = entry.interests, entry.may
    seat.weight = min(max(0, entry.weight), _HEAVIEST)
    seat.reactivity = min(max(0, entry.reactivity), 1000)
    seat.cooldown = entry.cooldown
    seat.listens = entry.listens
    seat.answer_ms = None if entry.answer_ms is None else min(entry.answer_ms, LONGEST_ANSWER_MS)
    seat.turn_limit, seat.token_limit, seat.micro_limit = entry.turns, entry.tokens, entry.micros


def leave_seat(moment: FoldStep, entry: ParticipantLeft) -> None:
    """A seat is empty; what a process says that no longer speaks for it changes nothing."""
    floor, name = moment.memory.floor, moment.participant
    seat = floor.seats.get(name)
    if seat is None or not seat.present or (entry.seat and entry.seat != seat.seat):
        return
    seat.present, seat.addressed = False, 0
    withdraw_bid(floor, name)
    moment.record_fact("seat.left", None, participant=name, reason=clip(entry.reason, SEAT_FIELDS))


def merge_seats(memory: Memory, old: str, new: str) -> None:
    """Make one seat of two, and one account; who is there outranks who left."""
    floor = memory.floor
    spending.merge_accounts(memory, old, new)
    if floor.holder == old:
        floor.holder = new
    if floor.served == old:
        floor.served = new
    floor.last = [new if name == old else name for name in floor.last]
    floor.to = sorted({new if name == old else name for name in floor.to})
    bid, floor_pass = floor.bids.pop(old, None), floor.passes.pop(old, None)
    if bid is not None and new not in floor.bids:
        floor.bids[new] = bid
    if floor_pass is not None and new not in floor.passes:
        floor.passes[new] = floor_pass
    if new in floor.bids:
        floor.passes.pop(new, None)
    gone = floor.seats.pop(old, None)
    if gone is not None:
        seat = floor.seats.get(new)
        floor.seats[new] = gone if seat is None else _joined(seat, gone)


def _joined(seat: Seat, other: Seat) -> Seat:
    kept, gone = (other, seat) if other.present and not seat.present else (seat, other)
    kept.order = min(kept.order, gone.order)
    kept.since = min(kept.since, gone.since)
    kept.turns += gone.turns
    kept.spoken_tokens += gone.spoken_tokens
    kept.spoke = max(kept.spoke, gone.spoke)
    kept.cooled = max(kept.cooled, gone.cooled)
    kept.addressed = max(kept.addressed, gone.addressed)
    kept.invited = kept.invited or gone.invited
    kept.muted = kept.muted or gone.muted
    return kept
