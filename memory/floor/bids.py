"""Bids and passes: who asks for the floor, and who has nothing to add for now."""

from __future__ import annotations

from parley.bus.entries import FloorBid, FloorPassed
from parley.memory.floor import grants as floor
from parley.memory.floor.seats import present_agents
from parley.memory.state.floor_state import Bid
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip, one_line

_NOVELTY = 200  # characters kept of what a bid would add
_MODELS = ("self", "panel")  # ways to judge that ask a model
_LONGEST = 16  # doublings of a pass; no table has more agents


def place_bid(moment: FoldStep, entry: FloorBid) -> None:
    """A listener, or a person with a seat, asks for the floor."""
    memory, name = moment.memory, moment.participant
    if not _counts(memory, name, entry):
        return
    floor = memory.floor
    floor.passes.pop(name, None)
    earlier = floor.bids.get(name)
    floor.bids[name] = Bid(
        heard=entry.heard,
        turn=floor.turns if earlier is None else earlier.turn,
        urgency=min(max(entry.urgency, 0), 3),
        intent=entry.intent,
        re=_named(memory, entry.re),
        novelty=clip(one_line(entry.novelty), _NOVELTY),
    )
    made = floor.bids[name]
    moment.record_fact(
        "floor.bid",
        None,
        participant=name,
        urgency=made.urgency,
        intent=made.intent,
        re=made.re,
        novelty=made.novelty,
    )


def record_pass(moment: FoldStep, entry: FloorPassed) -> None:
    """A listener has nothing to add."""
    memory, name = moment.memory, moment.participant
    if not _counts(memory, name, entry):
        return
    if entry.withdrawn:
        memory.floor.bids.pop(name, None)
        return
    floor.yield_floor(memory, name, entry.heard, ready=entry.ready, failed=entry.failed)
    moment.record_fact("floor.passed", None, participant=name, ready=entry.ready)


def _counts(memory: Memory, name: str, entry: FloorBid | FloorPassed) -> bool:
    floor = memory.floor
    seat = floor.seats.get(name)
    if seat is None:
        return False
    if entry.how in _MODELS:
        floor.evaluations += 1  # void or not, it was asked for
    at_the_table = seat.present and not seat.muted and seat.role != "observer"
    return at_the_table and entry.epoch == floor.epoch and entry.heard >= floor.stirred


def _named(memory: Memory, re: int | str | None) -> str | None:
    """The handle of what a bid answers, or the number of its entry as text."""
    if re is None:
        return None
    item = memory.known(re) if isinstance(re, int) else memory.item(re)
    return clip(str(re), _NOVELTY) if item is None else item.handle


def has_standing_bid(memory: Memory, name: str) -> bool:
    """True while the bid of `name` is not too old."""
    made = memory.floor.bids.get(name)
    return made is not None and (memory.floor.turns - made.turn <= memory.settings.floor.bid_turns)


def list_unanswered(memory: Memory, names: list[str]) -> list[str]:
    """Who of `names` has neither bid nor passed."""
    count = len(present_agents(memory))
    return [
        name
        for name in names
        if not has_standing_bid(memory, name) and not is_staying_out(memory, name, count)
    ]


def is_staying_out(memory: Memory, name: str, count: int) -> bool:
    """True while `name` stays out of it, of `count` agents: 2 turns, then 4, doubling."""
    made = memory.floor.passes.get(name)
    if made is None:
        return False
    turns = min(2 ** min(made.streak, _LONGEST), max(count, 1))
    return made.ready or memory.floor.turns - made.turn < turns
