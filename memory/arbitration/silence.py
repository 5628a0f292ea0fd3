"""What happens when nobody wants the floor: nudges, then a vote, then the end."""

from __future__ import annotations

from parley.memory.arbitration.bid_scores import speaking_deficits
from parley.memory.arbitration.gate import is_unasked
from parley.memory.arbitration.session_end import find_end_reason
from parley.memory.arbitration.steps import (
    Answer,
    CallVote,
    Close,
    CountVote,
    ElapsedTimes,
    Nudge,
    Pause,
)
from parley.memory.arbitration.vote_times import has_longer_time, vote_left_ms
from parley.memory.floor.bids import list_unanswered
from parley.memory.floor.seats import answer_ms, has_person
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.settings.stop_rules import parse_stop_rules
from parley.memory.state.memory import Memory
from parley.memory.voting.turnout import pending_votes

_VOTED_ON = 20  # fewer than the closed votes that are remembered, else the first is voted on anew
_QUESTION = "Everybody else has passed. What is missing, or are we done?"


def break_silence(memory: Memory, waited: ElapsedTimes, speakers: list[str]) -> Answer:
    """The step that breaks the silence of `speakers`, all of whom have passed or not answered."""
    floor = memory.floor
    if speakers and all(_failed(memory, name) for name in speakers):
        return (Pause("errors") if has_person(memory) else Close("errors", "")), None
    willing = [name for name in speakers if not _is_ready(memory, name)]
    unasked = [name for name in willing if is_unasked(memory, name)]
    first = unasked or _uninvited(memory, willing)
    if candidates := first or ([] if floor.nudged else willing):
        due = speaking_deficits(memory)
        whom = max(candidates, key=lambda name: (due.get(name, 0), -floor.seats[name].order))
        return Nudge(whom, "quiet", None, "", _QUESTION), None
    # One who was nudged may still answer, and that may wake others.
    if floor.nudged and waited.nudge is not None:
        left = ms_to_answer(memory, waited, waited.nudge, list_unanswered(memory, speakers))
        if left > 0:
            return None, left
    pending = pending_votes(memory)
    for vote in pending:
        if vote.status == "open" and not has_longer_time(memory, vote):
            return CountVote(vote.ref), None  # by consent, which silence is; others come before
    if pending:
        return None, max(1, min(vote_left_ms(memory, vote, waited) for vote in pending))
    proposal = _unvoted(memory)
    return (CallVote(proposal), None) if proposal is not None else _ended(memory, waited)


def ms_to_answer(memory: Memory, waited: ElapsedTimes, since: int, missing: list[str]) -> int:
    """The ms that are left until each of `missing` has had its time to answer, `since` ms by now.

    A seat has all of its time from being taken on. Who wants to be asked is waited for once it is.
    """
    asked = [name for name in missing if not is_unasked(memory, name)]
    since = since if waited.seated is None else min(since, waited.seated)
    return max((answer_ms(memory, name) for name in asked), default=0) - since


def _failed(memory: Memory, name: str) -> bool:
    """True where nobody knows what it would say: its model did not answer."""
    floor_pass = memory.floor.passes.get(name)
    return floor_pass is not None and floor_pass.failed


def _is_ready(memory: Memory, name: str) -> bool:
    floor_pass = memory.floor.passes.get(name)
    return floor_pass is not None and floor_pass.ready


def _uninvited(memory: Memory, speakers: list[str]) -> list[str]:
    """The agents of `speakers` that never had the floor: each is asked once before the end.

    Rules passed for them, or a model that misread whether to speak, or did not answer.
    """
    seats = memory.floor.seats
    return [
        name
        for name in speakers
        if (seat := seats[name]).listens == "evaluates"
        and seat.role == "agent"
        and not seat.invited
        and not seat.turns
    ]


def _unvoted(memory: Memory) -> int | None:
    """The newest open proposal that no vote was called on, of the newest few."""
    newest = ledger_of(memory).actionable()[:_VOTED_ON]
    return next((proposal.ref for proposal in newest if not proposal.voted), None)


def _ended(memory: Memory, waited: ElapsedTimes) -> Answer:
    """The end, once whoever else sits there has had time to speak."""
    if has_person(memory):
        left = memory.settings.floor.moderator_ms - waited.head
        if left > 0:
            return None, left
    reason = find_end_reason(
        memory, parse_stop_rules(memory.settings.stop), waited.session // 1000, quiescent=True
    )
    if reason is not None:
        return Close(*reason), None
    return (None, None) if has_person(memory) else (Close("quiescent", ""), None)
