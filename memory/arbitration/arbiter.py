"""What is to happen next at the table: a grant, a vote, a nudge, the end; or how long to wait.

Pure and deterministic: whoever arbitrates, the same memory and the same clock
give the same step, and the first that lands makes the others stale.
"""

from __future__ import annotations

from parley.memory.arbitration import circling_notice, silence, speaking_order
from parley.memory.arbitration.bid_scores import best
from parley.memory.arbitration.gate import IN_TURN, may_speak, spent, voting
from parley.memory.arbitration.session_end import alarm, holds, hopped
from parley.memory.arbitration.steps import (
    Answer,
    AskModerator,
    Close,
    CountVote,
    Expire,
    Grant,
    Nudge,
    Pause,
    Step,
    Waited,
)
from parley.memory.floor.bids import away, owing, stands
from parley.memory.floor.seats import agents, allowed, has_person
from parley.memory.settings.stop_rules import parse
from parley.memory.state.memory import Memory
from parley.memory.voting.turnout import is_in, pending_votes


def next_step(memory: Memory, waited: Waited) -> Answer:
    """The step to take now, or None and the ms until the clock alone may change that.

    None and None: nothing but an entry can.
    """
    if memory.closed is not None or not memory.opened:
        return None, None
    stop = parse(memory.settings.stop)
    if memory.has_floor and (found := holds(memory, stop, waited.session // 1000)) is not None:
        return Close(*found), None
    ref, left = vote_to_count(memory, waited)
    step: Step | None = None if ref is None else CountVote(ref)
    if step is None and memory.has_floor:
        step, then = _at_the_table(memory, waited)
        left = _sooner(_sooner(left, then), alarm(stop, waited.session))
    return step, None if step is not None and not isinstance(step, AskModerator) else left


def _sooner(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def _at_the_table(memory: Memory, waited: Waited) -> Answer:
    floor = memory.floor
    if (answer := _expired(memory, waited)) is not None:
        return answer
    present = agents(memory)
    if not present or voting(memory):
        return None, None
    if (answer := _hopped(memory, len(present))) is not None:
        return answer
    if (told := circling_notice.telling(memory)) is not None:
        return told, None
    if floor.paused:
        return None, None
    if all(spent(memory, name) for name in present):
        return _broke(memory, waited)
    return _granted(memory, waited)


def vote_to_count(memory: Memory, waited: Waited) -> tuple[int | None, int | None]:
    """The vote that is to end now, else the ms until the time of one is over.

    One that nobody confirmed ends then too.
    """
    pending = pending_votes(memory)
    if not pending:
        return None, None
    left = memory.settings.vote.seconds * 1000 - (waited.vote or 0)
    over = pending[:1] if left <= 0 else [vote for vote in pending if is_in(memory, vote)]
    return (over[0].ref, None) if over else (None, left)


def _expired(memory: Memory, waited: Waited) -> Answer | None:
    """Whether the floor is held, and for how long still: a draft begun anew gets a new lease."""
    floor = memory.floor
    if not floor.holder:
        return None
    seat = floor.seats.get(floor.holder)
    leases = 1 + memory.settings.floor.restarts
    left = min(floor.lease_ms - waited.epoch, floor.lease_ms * leases - waited.held)
    if seat is None or not seat.present or left <= 0:
        return Expire(floor.holder), None
    return None, left


def _hopped(memory: Memory, count: int) -> Answer | None:
    """What turns of agents among themselves come to: a word, then a pause, or the end."""
    floor, setting = memory.floor, memory.settings.floor
    if hopped(memory):
        if not has_person(memory):
            return Close("hops", "hops"), None
        return (None, None) if floor.paused else (Pause("hops"), None)
    soft = setting.hops_soft * count
    if floor.hinted or not 0 < soft <= floor.hops:
        return None
    return Nudge("", "hops", None, "", f"{floor.hops} turns since a person spoke"), None


def _broke(memory: Memory, waited: Waited) -> Answer:
    """Nobody can pay for a word: the end, unless a call under way gives something back."""
    if has_person(memory):
        return None, None
    left = memory.settings.floor.lease_ms - waited.epoch
    if memory.ledger.calls and left > 0:
        return None, left
    return Close("budget", ""), None


# -- grants --------------------------------------------------------------------


def _granted(memory: Memory, waited: Waited) -> Answer:
    policy = memory.settings.floor.policy
    if policy in IN_TURN:
        return speaking_order.next_turn(memory, waited)
    if policy == "open":
        return _opened(memory, waited)
    if policy == "moderated" and (moderator := _moderator(memory)) is not None:
        left = memory.settings.floor.moderator_ms - waited.epoch
        if left > 0 and not _all_passed(memory, may_speak(memory)):
            is_agent = memory.floor.seats[moderator].role == "agent"
            return (AskModerator(moderator) if is_agent else None), left
    return _auction(memory, waited)


def _moderator(memory: Memory) -> str | None:
    """Who grants the floor: of those that may, a person before an agent, then who joined first."""
    seats = memory.floor.seats
    found = [
        (seat.role == "agent", seat.order, name)
        for name, seat in seats.items()
        if seat.present and not seat.muted and allowed(memory, name, "grant")
    ]
    return min(found)[2] if found else None


def _opened(memory: Memory, waited: Waited) -> Answer:
    """Nothing is granted. Who has neither passed nor spoken for as long as a lease is gone."""
    speakers = may_speak(memory)
    left = memory.settings.floor.lease_ms - waited.epoch
    if speakers and (left <= 0 or _all_passed(memory, speakers)):
        return silence.broken(memory, waited, speakers)
    return None, left if speakers else None


def _auction(memory: Memory, waited: Waited) -> Answer:
    setting, floor = memory.settings.floor, memory.floor
    speakers = may_speak(memory)
    bidders = sorted(name for name in floor.bids if _may_win(memory, name, speakers))
    missing = owing(memory, speakers)
    left = setting.evaluation_ms - waited.epoch
    if bidders:
        since = waited.epoch if waited.bid is None else waited.bid
        left = min(left, setting.auction_ms - since)
        if missing and left > 0:
            return None, left
        name, parts = best(memory, bidders)
        return Grant(name, parts, "bid"), None
    if not speakers:
        return None, None
    return (None, left) if missing and left > 0 else silence.broken(memory, waited, speakers)


def _may_win(memory: Memory, name: str, speakers: list[str]) -> bool:
    seat = memory.floor.seats.get(name)
    if seat is None or not stands(memory, name):
        return False
    return name in speakers or (seat.role == "person" and seat.present and not seat.muted)


def _all_passed(memory: Memory, speakers: list[str]) -> bool:
    count = len(agents(memory))
    return all(away(memory, name, count) for name in speakers)
