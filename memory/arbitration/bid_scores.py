"""What speaks for a bid, in thousandths of a degree of urgency."""

from __future__ import annotations

from hashlib import blake2b
from itertools import islice
from typing import Final

from parley.memory.extraction.structure.shelves import firm_side
from parley.memory.floor.seats import present_agents
from parley.memory.state.floor_state import Bid
from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory

_INTENTS: Final = {
    "ask": 450, "propose": 300, "amend": 300, "vote": 250, "decide": 250, "oppose": 200,
    "support": 100,
}  # fmt: skip
_TESTING: Final = 600  # for opposing what is about to close
_ADDRESSED: Final = 2000
_AGING: Final = 320  # a turn
# With 2, of five who always bid and whose words run from 80 to 300 the long-winded one has
# its turn as often as the others: a Gini of tokens of 0.28. With 4 it is 0.20.
_EVENING: Final = 4
_RECENCY: Final = (600, 400, 200)  # against the last speaker, the one before, …
_REDUNDANCY: Final = 400
_LOOK_BACK: Final = 16  # proposals and decisions that may be about to close


def score_bid(memory: Memory, name: str, bid: Bid, deficit: int) -> dict[str, int]:
    """The parts of the score of `bid`, those that are not 0, and their `total`.

    `deficit` is that of `name` (`speaking_deficits`).
    """
    seat = memory.floor.seats[name]
    parts = {
        "urgency": 1000 * bid.urgency,
        "addressed": _ADDRESSED if seat.addressed else 0,
        "intent": _intent(memory, bid),
        "reactivity": seat.reactivity,
        "deficit": deficit,
        "aging": _AGING * (memory.floor.turns - bid.turn),
        "recency": -_recency(memory, name),
        "redundancy": -_REDUNDANCY if _is_redundant(memory, name, bid) else 0,
    }
    return {**{part: value for part, value in parts.items() if value}, "total": sum(parts.values())}


def pick_best_bid(memory: Memory, names: list[str]) -> tuple[str, dict[str, int]]:
    """Which of these bidders outbids the others, and by what; there is at least one."""
    bids, deficits = memory.floor.bids, speaking_deficits(memory)
    scores = {name: score_bid(memory, name, bids[name], deficits.get(name, 0)) for name in names}
    name = max(names, key=lambda bidder: (scores[bidder]["total"], _lot(memory, bidder)))
    return name, scores[name]


def _lot(memory: Memory, name: str) -> str:
    """A lot that every arbiter draws alike."""
    drawn = f"{memory.settings.floor.seed} {memory.floor.epoch} {name}"
    return blake2b(drawn.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def speaking_deficit(memory: Memory, name: str) -> int:
    """What an even split of the tokens said would give `name` less its own, weighted, per mille.

    0 for who is no agent that is present.
    """
    return speaking_deficits(memory).get(name, 0)


def speaking_deficits(memory: Memory) -> dict[str, int]:
    """The deficit of each agent that is present."""
    seats, present = memory.floor.seats, present_agents(memory)
    total = sum(seats[name].spoken_tokens for name in present)
    if not total:
        return dict.fromkeys(present, 0)
    even = 1000 // len(present)
    return {name: _EVENING * (even - seats[name].spoken_tokens * 1000 // total) for name in present}


def _recency(memory: Memory, name: str) -> int:
    last = memory.floor.last[::-1]
    place = last.index(name) if name in last else len(_RECENCY)
    return _RECENCY[place] if place < len(_RECENCY) else 0


def _intent(memory: Memory, bid: Bid) -> int:
    if bid.intent == "oppose" and _is_closing(memory, bid):
        return _TESTING
    return _INTENTS.get(bid.intent, 0)


def _is_closing(memory: Memory, bid: Bid) -> bool:
    """True where what `bid` is about, or anything where it names nothing, is about to close."""
    item = None if bid.re is None else memory.item(bid.re)
    if item is not None:
        return _closes(memory, item)
    live = (memory.proposals[ref] for ref in islice(reversed(memory.live), _LOOK_BACK))
    claimed = islice(reversed(memory.decisions.values()), _LOOK_BACK)
    return any(_closes(memory, proposal) for proposal in live) or any(
        _closes(memory, o) for o in claimed
    )


def _closes(memory: Memory, item: Proposal | Decision) -> bool:
    if not item.stands or item.candidate:
        return False
    if isinstance(item, Decision):
        return item.status == "claimed"
    if item.status != "active":
        return False
    supporters = sum(
        reaction.stance == "support" and reaction.counted and not reaction.conditional
        for name, reaction in item.reactions.items()
        if name != item.participant
    )
    return supporters >= memory.settings.ratify.quorum - 1


def _is_redundant(memory: Memory, name: str, bid: Bid) -> bool:
    if bid.intent != "support" or bid.re is None:
        return False
    item = memory.item(bid.re)
    if isinstance(item, Decision):
        return name in item.supporters
    reaction = None if item is None else firm_side(item, name)
    return reaction is not None and reaction.stance == "support"
