"""What somebody who takes part is shown of the session beside the talk: lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from parley.memory.arbitration.obstacles import find_stopping_vote
from parley.memory.ledger.ledger_rows import LedgerItem, Side
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.floor_state import Seat
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.memory.text.fences import escape_invisible
from parley.memory.text.plain_text import clip, one_line
from parley.memory.voting.counting_rules import ABSTAIN
from parley.server.basics.output import count_of
from parley.server.verdicts.status_words import status_words

_TEXT: Final = 120  # characters of an item
_BIDS: Final = 3  # in the status line, the most urgent: what is voted on is to be seen as well
_ITEMS: Final = 30  # of each sort, the newest


def status_line(memory: Memory) -> str:
    """The floor, open proposals and an open vote, in one line."""
    if memory.closed is not None:
        return f"closed: {memory.closed}"
    parts = [_floor(memory)]
    if opened := ledger_of(memory).open_proposals():
        parts.append("open: " + " ".join(item.handle for item in opened[:8][::-1]))
    parts += [_vote(vote) for vote in memory.votes.by_ref.values() if vote.status == "open"]
    return escape_invisible(" | ".join(parts))


def view_lines(memory: Memory, view: str) -> list[str]:
    """The lines of that view, as a terminal may have them."""
    return [escape_invisible(line) for line in _VIEWS[view](memory)]


def _floor(memory: Memory) -> str:
    floor = memory.floor
    if floor.paused:
        state = f"floor: paused ({floor.paused})"
    else:
        state = f"floor: {floor.holder or 'free'}"
    bids = sorted(floor.bids.items(), key=lambda item: (-item[1].urgency, item[0]))
    asking = [f"{name} {bid.urgency}" for name, bid in bids[:_BIDS]]
    if more := len(bids) - len(asking):
        asking.append(f"{more} more")
    return f"{state}, asked for by {', '.join(asking)}" if asking else state


def _vote(vote: Vote) -> str:
    cast = sum(name in vote.ballots for name in vote.electorate)
    options = ", ".join((*vote.options, ABSTAIN))
    return f"V{vote.ref}: {options} ({cast} of {len(vote.electorate)} cast)"


def _memory(memory: Memory) -> Iterator[str]:
    ledger = ledger_of(memory)
    proposals = ledger.open_proposals()[::-1]
    firm = [item for item in ledger.decisions() if item.shelf == "firm"]
    decisions = [item for item in firm if item.status != "superseded"]
    if not proposals and not decisions:
        yield "nothing was proposed or decided yet"
    yield from map(_proposal, proposals[-_ITEMS:])
    for item in decisions[-_ITEMS:]:
        text = clip(one_line(item.words), _TEXT)
        yield f"{item.handle} {status_words(item)}: {text}"


def _proposal(item: LedgerItem) -> str:
    read = " (as read)" if item.as_read else ""
    sides = [_side(side) for _, side in sorted(item.sides.items())]
    stood = f" [{', '.join(sides)}]" if sides else ""
    return f"{item.handle} {item.participant}{read}: {clip(one_line(item.words), _TEXT)}{stood}"


def _side(side: Side) -> str:
    return f"{side.participant} {side.stance}" + (" as read" if side.as_read else "")


def _who(memory: Memory) -> Iterator[str]:
    seats = sorted(memory.floor.seats.items(), key=lambda pair: pair[1].order)
    for name, seat in seats:
        yield f"{name}: {_seat(seat)}"
    for name in sorted(set(memory.participants) - set(memory.floor.seats)):
        yield f"{name}: has spoken"
    if not seats and not memory.participants:
        yield "nobody has joined or spoken yet"


def _seat(seat: Seat) -> str:
    marks = [seat.role, "here" if seat.present else "gone"]
    if seat.muted:
        marks.append("muted")
    if seat.turns:
        marks.append(count_of(seat.turns, "turn"))
    if seat.interests:
        marks.append("listens for " + ", ".join(seat.interests))
    return ", ".join(marks)


def _floor_lines(memory: Memory) -> Iterator[str]:
    floor = memory.floor
    turns = count_of(floor.turns, "turn")
    yield f"policy {memory.settings.floor.policy}, epoch {floor.epoch}, {turns}"
    if memory.closed is not None:
        yield f"closed: {memory.closed}"
        return
    vote = find_stopping_vote(memory)
    if vote is not None:
        yield f"{vote.what}: nobody is given the floor before it ends"
    elif floor.paused:
        yield f"paused: {floor.paused}"
    else:
        yield f"held by {floor.holder or 'nobody'}"
    for name, bid in sorted(floor.bids.items()):
        about = f" on {bid.re}" if bid.re else ""
        adds = f": {bid.novelty}" if bid.novelty else ""
        yield f"{name} asks, urgency {bid.urgency}, to {bid.intent}{about}{adds}"
    if floor.passes:
        yield f"passed: {', '.join(sorted(floor.passes))}"
    if muted := sorted(name for name, seat in floor.seats.items() if seat.muted):
        yield f"muted: {', '.join(muted)}"


def _votes(memory: Memory) -> Iterator[str]:
    if not memory.votes.by_ref:
        yield "no vote was called yet"
    for vote in memory.votes.by_ref.values():
        outcome = vote.status if vote.carried is None else f"{vote.status}: {vote.carried}"
        state = _vote(vote) if vote.status == "open" else f"V{vote.ref}: {outcome}"
        yield f"{state}: {clip(one_line(vote.question), _TEXT)}"


_VIEWS: Final = {
    "memory": _memory,
    "who": _who,
    "floor": _floor_lines,
    "votes": _votes,
}
