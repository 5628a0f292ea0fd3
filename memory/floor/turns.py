"""What a message does at the table: turns, hops, who is called, who talks in circles."""

from __future__ import annotations

from typing import Final

from parley.bus.entries import Message
from parley.memory.floor.seats import present_agents, withdraw_bid
from parley.memory.state.floor_state import Floor, Seat
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.memory.text.text_sizes import count_tokens
from parley.memory.voice import VOICE

SPEAKERS: Final = 8  # newest ones kept; scores look at three
_CIRCLES: Final = 20  # echoes kept to be told; those that nobody told by then are old news
# What moves a talk on; an echo and a restatement do not.
ITEM_CHANGES: Final = frozenset({
    "proposal.made", "proposal.amended", "proposal.settled", "reaction.changed",
    "decision.claimed", "decision.ratified", "decision.disputed", "decision.superseded",
})  # fmt: skip


def count_turn(memory: Memory, n: int, name: str, entry: Message, facts: list[Fact]) -> list[Fact]:
    """Count a message; `facts` are those that its words brought about."""
    floor = memory.floor
    floor.head = n
    _note(floor, facts)
    if name in memory.bots or name == VOICE:
        return []
    seat = floor.seats.get(name)
    turn_facts: list[Fact] = []
    if seat is not None and seat.role == "agent":
        turn_facts = _turn(memory, n, name, seat, entry)
        by_person = False
    else:
        _person(floor, n, name)
        by_person = True
    if any(fact.kind in ITEM_CHANGES and not _is_echo(fact, facts) for fact in facts):
        floor.moved = floor.turns
    _address(memory, n, name, entry, by_person)
    return turn_facts


def _note(floor: Floor, facts: list[Fact]) -> None:
    for fact in facts:
        if fact.kind == "proposal.echoed" and fact.ref is not None:
            floor.circles.append(int(fact.ref[1:]))
            del floor.circles[:-_CIRCLES]


def _is_echo(fact: Fact, facts: list[Fact]) -> bool:
    return fact.kind == "proposal.made" and any(
        other.kind == "proposal.echoed" and other.ref == fact.ref for other in facts
    )


def _turn(memory: Memory, n: int, name: str, seat: Seat, entry: Message) -> list[Fact]:
    floor = memory.floor
    floor.turns += 1
    floor.hops += 1
    floor.nudged = 0
    seat.turns += 1
    seat.spoken_tokens += count_tokens(entry.content)
    seat.spoke = floor.turns
    seat.addressed = 0
    withdraw_bid(floor, name)
    most = memory.settings.floor.bid_turns
    for other in [bidder for bidder, bid in floor.bids.items() if floor.turns - bid.turn > most]:
        del floor.bids[other]
    _alternate(floor, name)
    return _cool(memory, n)


def _alternate(floor: Floor, name: str) -> None:
    last = floor.last
    if last[-1:] == [name]:
        floor.alternating = 1
        return
    goes_on = floor.alternating and last[-2:-1] == [name]
    floor.alternating = floor.alternating + 1 if goes_on else 1 + bool(floor.alternating)
    last.append(name)
    del last[:-SPEAKERS]


def _cool(memory: Memory, n: int) -> list[Fact]:
    """Where two have kept it to themselves for long, let both listen for as long."""
    floor, most = memory.floor, memory.settings.floor.pair
    if not most or floor.alternating < max(most, 2) or len(present_agents(memory)) <= 2:
        return []
    two = sorted(floor.last[-2:])
    for name in two:
        if (seat := floor.seats.get(name)) is not None:
            seat.cooled = floor.turns + most
    floor.alternating = 0
    return [Fact("floor.cooled", None, n, {"participants": two})]


def _person(floor: Floor, n: int, name: str) -> None:
    floor.hops, floor.hinted, floor.nudged, floor.alternating = 0, False, 0, 0
    if floor.paused in ("hops", "errors"):
        floor.paused = ""
    if name in floor.seats:
        floor.seats[name].addressed = 0
    if floor.last[-1:] != [name]:
        floor.last.append(name)
        del floor.last[:-SPEAKERS]
    reset_bids(floor, n)


def _address(memory: Memory, n: int, name: str, entry: Message, by_person: bool) -> None:
    floor = memory.floor
    named = {memory.named(seat_name) for seat_name in entry.to}
    if "@" in entry.content:
        named |= _mentioned(memory, entry.content)
    named.discard(name)
    sitting = sorted(named & floor.seats.keys())
    floor.to = sitting or sorted(named)[:1]
    for seat_name in sitting:
        seat = floor.seats[seat_name]
        seat.addressed = n
        floor.passes.pop(seat_name, None)
        if by_person:
            seat.cooled = 0


def _mentioned(memory: Memory, content: str) -> set[str]:
    """The seats that an @ names, under any of their names."""
    seats, text = memory.floor.seats, content.casefold()
    known = {name: name for name in seats}
    known |= {nick: name for nick, name in memory.aliases.items() if name in seats}
    return {name for nick, name in known.items() if _names(text, "@" + nick.casefold())}


def _names(text: str, mark: str) -> bool:
    at = text.find(mark)
    while at >= 0:
        before, after = text[max(0, at - 1) : at], text[at + len(mark) : at + len(mark) + 1]
        if not (before.isalnum() or after.isalnum() or after == "_"):
            return True
        at = text.find(mark, at + 1)
    return False


def reset_bids(floor: Floor, n: int) -> None:
    """Everyone is to think anew: bids and passes from before `n` are gone."""
    floor.stirred = n
    floor.bids, floor.passes = {}, {}
