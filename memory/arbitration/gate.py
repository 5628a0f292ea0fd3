"""The gate: whether a listener is to think about speaking at all. No model is asked."""

from __future__ import annotations

from collections.abc import Iterable

from parley.memory.arbitration.session_end import has_reached_hop_limit
from parley.memory.arbitration.vote_times import stops_talk
from parley.memory.floor.bids import has_standing_bid, is_staying_out
from parley.memory.floor.seats import present_agents
from parley.memory.floor.spending import refusing_limit
from parley.memory.state.floor_state import Seat
from parley.memory.state.memory import Memory
from parley.memory.voting.turnout import pending_votes

IN_TURN = ("round_robin", "scripted")  # policies under which nobody asks for the floor
_ENVELOPE = 64  # tokens reserved around any answer


def judge_listener(memory: Memory, name: str) -> str:
    """What `name` is to do about the newest entry: `evaluate`, `bid`, or why neither.

    The reasons are those of docs/protocol.md, the first that holds. A seat that
    is empty, an observer's or nobody's counts as `muted`, an order of speakers
    as `held`.
    """
    name = memory.named(name)
    return judge_listeners(memory, [name])[name]


def judge_listeners(memory: Memory, names: Iterable[str]) -> dict[str, str]:
    """What `judge_listener` says of each of `names`, canonical ones,
    for the price of one look around.
    """
    verdicts = {name: _alone(memory, name) for name in names}
    if all(verdicts.values()):
        return verdicts
    able = _able(memory)
    rests, over, count = (
        _rests(memory, able),
        has_reached_hop_limit(memory),
        len(present_agents(memory)),
    )
    for name in [name for name, reason in verdicts.items() if not reason]:
        verdicts[name] = rests.get(name) or ("hops" if over else _called(memory, name, count))
    return verdicts


def _alone(memory: Memory, name: str) -> str:
    """What bars `name`, whatever others do."""
    if reason := _barred(memory, name):
        return reason
    if _own(memory, name):
        return "own"
    return "budget" if has_spent_turns(memory, name) else ""


def _barred(memory: Memory, name: str) -> str:
    floor = memory.floor
    seat = floor.seats.get(name)
    if memory.closed is not None:
        return "closed"
    if floor.paused:
        return "paused"
    if seat is None or not seat.present or seat.muted or seat.role == "observer":
        return "muted"
    if floor.holder or memory.settings.floor.policy in IN_TURN:
        return "held"
    return "voting" if is_held_up_by_vote(memory) else ""


def _called(memory: Memory, name: str, count: int) -> str:
    floor = memory.floor
    if has_standing_bid(memory, name):
        return "standing"
    if floor.seats[name].addressed:
        return "bid"
    if is_staying_out(memory, name, count):
        return "passed"
    if floor.to and name not in floor.to:
        return "elsewhere"
    return "evaluate"


def is_held_up_by_vote(memory: Memory) -> bool:
    """True while a vote keeps the talk waiting."""
    return any(stops_talk(memory, vote) for vote in pending_votes(memory))


def has_spent_turns(memory: Memory, name: str) -> bool:
    """True where `name` has taken all its turns, or cannot pay for the shortest draft."""
    seat = memory.floor.seats[name]
    if seat.turn_limit is not None and seat.turns >= seat.turn_limit:
        return True
    micros = 1 if memory.ledger.total.micros else 0  # what was free so far stays free
    return refusing_limit(memory, name, memory.settings.speak.out + _ENVELOPE, micros) != ""


def list_grantable_agents(memory: Memory) -> list[str]:
    """The agents that could be granted the floor now, as they joined.

    Not who spoke last, unless it is called or alone; nobody who rests while others can speak.
    """
    able = _able(memory)
    rests = _rests(memory, able)
    return [
        name
        for name in able
        if name not in rests and (not _own(memory, name) or not _others_come(memory, name, able))
    ]


def is_awaited(memory: Memory, name: str) -> bool:
    """Whether an auction waits for `name`: it judges by itself, or was called and answers that."""
    seat = memory.floor.seats[name]
    return seat.listens == "evaluates" or (seat.listens == "asked" and seat.addressed > 0)


def is_unasked(memory: Memory, name: str) -> bool:
    """Whether `name` wants to be asked, and nobody did since it last spoke or passed."""
    seat = memory.floor.seats[name]
    return (
        seat.listens == "asked"
        and not seat.addressed
        and name not in memory.floor.passes
        and not has_standing_bid(memory, name)
    )


def _others_come(memory: Memory, name: str, able: list[str]) -> bool:
    """Whether any of `able` but `name` may take the next turn: it bids, or is waited for."""
    return any(
        is_awaited(memory, other) or has_standing_bid(memory, other)
        for other in able
        if other != name
    )


def _able(memory: Memory) -> list[str]:
    seats = memory.floor.seats
    return [
        n for n in present_agents(memory) if not seats[n].muted and not has_spent_turns(memory, n)
    ]


def _own(memory: Memory, name: str) -> bool:
    return memory.floor.last[-1:] == [name] and not memory.floor.seats[name].addressed


def _rests(memory: Memory, able: list[str]) -> dict[str, str]:
    """Who rests, `cooldown` or `pair`; nobody waits for turns that cannot come.

    A cooldown ends when all who do not rest have passed. Two who had kept the
    talk to themselves rest until somebody else was nudged in vain as well.
    """
    floor = memory.floor
    resting = {name: why for name in able if (why := _rest(memory, name, floor.seats[name]))}
    others = [
        name
        for name in able
        if name not in resting
        and not _own(memory, name)
        and (is_awaited(memory, name) or has_standing_bid(memory, name))
    ]
    count = len(present_agents(memory)) if others else 0
    if any(not is_staying_out(memory, name, count) for name in others):
        return resting
    if others and not floor.nudged:
        return {name: why for name, why in resting.items() if why == "pair"}
    return {}


def _rest(memory: Memory, name: str, seat: Seat) -> str:
    turns = memory.floor.turns
    wanted = memory.settings.floor.cooldown if seat.cooldown is None else seat.cooldown
    if seat.spoke and turns - seat.spoke < wanted and not seat.addressed:
        return "cooldown"
    return "pair" if turns < seat.cooled else ""
