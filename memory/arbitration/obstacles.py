"""What keeps an agent from the floor, for whoever asked for it in vain. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from parley.memory.arbitration.gate import has_spent_turns
from parley.memory.arbitration.steps import ElapsedTimes
from parley.memory.arbitration.vote_times import stops_talk, vote_left_ms
from parley.memory.state.memory import Memory
from parley.memory.voting.electorate import list_missing_voters
from parley.memory.voting.turnout import pending_votes

Kind = Literal["paused", "muted", "vote", "holder", "budget", "bids", "rests", "nobody"]


@dataclass(frozen=True, slots=True)
class Obstacle:
    """`what` stands in the way, in words; `ref` is the handle of a vote, `left` ms of its time."""

    kind: Kind
    what: str
    ref: str = ""
    left: int | None = None


def find_obstacle(memory: Memory, name: str, waited: ElapsedTimes) -> Obstacle:
    """What keeps `name` from the floor now: the first that holds, as the arbiter goes by them."""
    name = memory.named(name)
    floor = memory.floor
    if (vote := find_stopping_vote(memory, waited)) is not None:
        return vote
    if floor.paused:
        cure = "until a person speaks" if floor.paused in ("hops", "errors") else "until resumed"
        return Obstacle("paused", f"the floor is paused ({floor.paused}) {cure}")
    seat = floor.seats.get(name)
    if seat is not None and seat.muted:
        return Obstacle("muted", "you are muted until a moderator unmutes you")
    if seat is not None and has_spent_turns(memory, name):
        return Obstacle("budget", "your turns, or what you may spend, are used up")
    if floor.holder and floor.holder != name:
        left = max(0, floor.lease_ms - waited.epoch)
        return Obstacle("holder", f"{floor.holder} has the floor", left=left)
    if others := sorted(bidder for bidder in floor.bids if bidder != name):
        return Obstacle("bids", f"{', '.join(others)} asked for the floor too")
    if floor.last[-1:] == [name]:
        return Obstacle("rests", "you spoke last, and others are heard first")
    return Obstacle("nobody", "nobody granted it; is an arbiter running?")


def find_stopping_vote(memory: Memory, waited: ElapsedTimes | None = None) -> Obstacle | None:
    """The vote that stops the talk until it is over."""
    for vote in pending_votes(memory):
        if stops_talk(memory, vote):
            missing = list_missing_voters(vote)
            awaited = f" and waits for {', '.join(missing)}" if missing else ""
            left = None if waited is None else max(0, vote_left_ms(memory, vote, waited))
            what = f"vote {vote.handle} is open{awaited}"
            return Obstacle("vote", what, vote.handle, left)
    return None
