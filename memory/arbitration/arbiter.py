"""What is to happen next at the table: a grant, a vote, a nudge, the end; or how long to wait.

Pure and deterministic: whoever arbitrates, the same memory and the same clock
give the same step, and the first that lands makes the others stale.
"""

from __future__ import annotations

from parley.memory.arbitration import circling_notice, silence, speaking_order
from parley.memory.arbitration.bid_scores import pick_best_bid
from parley.memory.arbitration.gate import (
    IN_TURN,
    has_spent_turns,
    is_awaited,
    is_held_up_by_vote,
    list_grantable_agents,
)
from parley.memory.arbitration.session_end import (
    find_end_reason,
    has_reached_hop_limit,
    ms_until_clock_rule,
)
from parley.memory.arbitration.steps import (
    Answer,
    AskModerator,
    Close,
    CountVote,
    ElapsedTimes,
    Expire,
    Grant,
    Nudge,
    Pause,
    Step,
)
from parley.memory.arbitration.vote_times import vote_left_ms
from parley.memory.floor.bids import has_standing_bid, is_staying_out, list_unanswered
from parley.memory.floor.seats import has_person, is_allowed, present_agents
from parley.memory.settings.stop_rules import parse_stop_rules
from parley.memory.state.floor_state import Seat
from parley.memory.state.memory import Memory
from parley.memory.voting.turnout import is_complete, pending_votes


def next_step(memory: Memory, waited: ElapsedTimes) -> Answer:
    """The step to take now, or None and the ms until the clock alone may change that.

    None and None: nothing but an entry can.
    """
    if memory.closed is not None or not memory.opened:
        return None, None
    stop = parse_stop_rules(memory.settings.stop)
    if (
        memory.has_floor
        and (reason := find_end_reason(memory, stop, waited.session // 1000)) is not None
    ):
        return Close(*reason), None
    ref, left = find_vote_to_end(memory, waited)
    step: Step | None = None if ref is None else CountVote(ref)
    if step is None and memory.has_floor:
        step, then = _at_the_table(memory, waited)
        left = _sooner(_sooner(left, then), ms_until_clock_rule(stop, waited.session))
    return step, None if step is not None and not isinstance(step, AskModerator) else left


def _sooner(first: int | None, other: int | None) -> int | None:
    if first is None or other is None:
        return other if first is None else first
    return min(first, other)


def _at_the_table(memory: Memory, waited: ElapsedTimes) -> Answer:
    floor = memory.floor
    if (answer := _expired(memory, waited)) is not None:
        return answer
    present = present_agents(memory)
    if not present or is_held_up_by_vote(memory):
        return None, None
    if (answer := _hopped(memory, len(present))) is not None:
        return answer
    if (nudge := circling_notice.find_circling_notice(memory)) is not None:
        return nudge, None
    if floor.paused:
        return None, None
    if all(has_spent_turns(memory, name) for name in present):
        return _broke(memory, waited)
    return _granted(memory, waited)


def find_vote_to_end(memory: Memory, waited: ElapsedTimes) -> tuple[int | None, int | None]:
    """The vote that is to end now, else the ms until the time of one is over.

    One that nobody confirmed ends then too.
    """
    pending = pending_votes(memory)
    if not pending:
        return None, None
    left = {vote.ref: vote_left_ms(memory, vote, waited) for vote in pending}
    over = (vote for vote in pending if left[vote.ref] <= 0 or is_complete(memory, vote))
    ended = next(over, None)
    return (None, min(left.values())) if ended is None else (ended.ref, None)


def _expired(memory: Memory, waited: ElapsedTimes) -> Answer | None:
    """Whether the floor is held, and for how long still: a draft begun anew gets a new lease."""
    floor = memory.floor
    if not floor.holder:
        return None
    seat = floor.seats.get(floor.holder)
    leases = 1 + memory.settings.floor.restarts
    left = min(floor.lease_ms - waited.epoch, floor.lease_ms * leases - waited.floor)
    if seat is None or not seat.present or left <= 0:
        return Expire(floor.holder), None
    return None, left


def _hopped(memory: Memory, count: int) -> Answer | None:
    """What turns of agents among themselves come to: a word, then a pause, or the end."""
    floor, setting = memory.floor, memory.settings.floor
    if has_reached_hop_limit(memory):
        if not has_person(memory):
            return Close("hops", "hops"), None
        return (None, None) if floor.paused else (Pause("hops"), None)
    soft = setting.hops_soft * count
    if floor.hinted or not 0 < soft <= floor.hops:
        return None
    return Nudge("", "hops", None, "", f"{floor.hops} turns since a person spoke"), None


def _broke(memory: Memory, waited: ElapsedTimes) -> Answer:
    """Nobody can pay for a word: the end, unless a call under way gives something back."""
    if has_person(memory):
        return None, None
    left = memory.settings.floor.lease_ms - waited.epoch
    if memory.ledger.calls and left > 0:
        return None, left
    return Close("budget", ""), None


# -- grants --------------------------------------------------------------------


def _granted(memory: Memory, waited: ElapsedTimes) -> Answer:
    policy = memory.settings.floor.policy
    if policy in IN_TURN:
        return speaking_order.choose_next_turn(memory, waited)
    if policy == "open":
        return _opened(memory, waited)
    if policy == "moderated" and (moderator := _moderator(memory)) is not None:
        seat = memory.floor.seats[moderator]
        left = max(memory.settings.floor.moderator_ms, _slow_ms(seat)) - waited.epoch
        if left > 0 and not _all_passed(memory, list_grantable_agents(memory)):
            return (AskModerator(moderator) if seat.role == "agent" else None), left
    return _auction(memory, waited)


def _moderator(memory: Memory) -> str | None:
    """Who grants the floor: of those that may, a person before an agent, then who joined first."""
    seats = memory.floor.seats
    candidates = [
        (seat.role == "agent", seat.order, name)
        for name, seat in seats.items()
        if seat.present and not seat.muted and is_allowed(memory, name, "grant")
    ]
    return min(candidates)[2] if candidates else None


def _slow_ms(seat: Seat) -> int:
    """What an agent says that its word may take."""
    return (seat.answer_ms or 0) if seat.role == "agent" else 0


def _opened(memory: Memory, waited: ElapsedTimes) -> Answer:
    """The step while nothing is granted; who has been silent for as long as a lease is gone."""
    speakers = list_grantable_agents(memory)
    lease = memory.settings.floor.lease_ms - waited.epoch
    left = max(lease, silence.ms_to_answer(memory, waited, waited.epoch, speakers))
    if speakers and (left <= 0 or _all_passed(memory, speakers)):
        return silence.break_silence(memory, waited, speakers)
    return None, left if speakers else None


def _auction(memory: Memory, waited: ElapsedTimes) -> Answer:
    setting, floor = memory.settings.floor, memory.floor
    speakers = list_grantable_agents(memory)
    bidders = sorted(name for name in floor.bids if _may_win(memory, name, speakers))
    missing = list_unanswered(memory, speakers)
    if bidders:
        since = waited.epoch if waited.bid is None else waited.bid
        left = min(setting.evaluation_ms - waited.epoch, setting.auction_ms - since)
        if any(is_awaited(memory, name) for name in missing) and left > 0:
            return None, left
        name, parts = pick_best_bid(memory, bidders)
        return Grant(name, parts, "bid"), None
    if not speakers:
        return None, None
    left = silence.ms_to_answer(memory, waited, waited.epoch, missing)
    return (None, left) if left > 0 else silence.break_silence(memory, waited, speakers)


def _may_win(memory: Memory, name: str, speakers: list[str]) -> bool:
    seat = memory.floor.seats.get(name)
    if seat is None or not has_standing_bid(memory, name):
        return False
    return name in speakers or (seat.role == "person" and seat.present and not seat.muted)


def _all_passed(memory: Memory, speakers: list[str]) -> bool:
    count = len(present_agents(memory))
    return all(is_staying_out(memory, name, count) for name in speakers)
