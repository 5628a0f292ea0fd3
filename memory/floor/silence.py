"""What happens when nobody wants the floor: a nudge, then a vote, then the end."""

from __future__ import annotations

from memory.floor.bidding import away, stands
from memory.floor.scoring import deficit
from memory.floor.seats import agents, has_person
from memory.floor.steps import Answer, CallVote, Close, CountVote, Nudge, Waited
from memory.floor.stopping import holds, parse
from memory.state import Memory
from memory.voting.turnout import pending_votes

_QUESTION = "Everybody else has passed. What is missing, or are we done?"


def broken(memory: Memory, waited: Waited, speakers: list[str]) -> Answer:
    """The step that breaks the silence of `speakers`, all of whom have passed or not answered."""
    floor, settings = memory.floor, memory.settings
    willing = [name for name in speakers if not _is_ready(memory, name)]
    if not floor.nudged and willing:
        whom = max(willing, key=lambda name: (deficit(memory, name), -floor.seats[name].order))
        return Nudge(whom, "quiet", None, "", _QUESTION), None
    if floor.nudged and waited.nudge is not None and _owe(memory, speakers):
        left = settings.floor.evaluation_ms - waited.nudge
        if left > 0:
            return None, left
    for vote in pending_votes(memory):
        if vote.status == "open":
            return CountVote(vote.ref), None  # by consent, which silence is; others come before
        return None, max(1, settings.vote.seconds * 1000 - (waited.vote or 0))
    proposal = _unvoted(memory)
    return (CallVote(proposal), None) if proposal is not None else _ended(memory, waited)


def _is_ready(memory: Memory, name: str) -> bool:
    held = memory.floor.passes.get(name)
    return held is not None and held.ready


def _owe(memory: Memory, speakers: list[str]) -> bool:
    """True while one of them has neither bid nor passed: a nudge's answer may wake others."""
    count = len(agents(memory))
    return any(not stands(memory, name) and not away(memory, name, count) for name in speakers)


def _unvoted(memory: Memory) -> int | None:
    """The newest active proposal that no vote was called on."""
    return max((ref for ref in memory.live if not memory.proposals[ref].voted), default=None)


def _ended(memory: Memory, waited: Waited) -> Answer:
    """The end, once whoever else sits there has had time to speak."""
    if has_person(memory):
        left = memory.settings.floor.moderator_ms - waited.head
        if left > 0:
            return None, left
    found = holds(memory, parse(memory.settings.stop), waited.session // 1000, quiescent=True)
    if found is not None:
        return Close(*found), None
    return (None, None) if has_person(memory) else (Close("quiescent", ""), None)
