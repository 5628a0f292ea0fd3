"""More time for a vote that is open: who may give it, and what is refused."""

from __future__ import annotations

from typing import Final

from parley.bus.entries import MAX_VOTE_SECONDS, VoteExtended
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.lookup import find_vote
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.memory.voting.electorate import may_call
from parley.memory.voting.turnout import vote_seconds
from parley.memory.voting.votes import refuse_vote_entry

_MOST_DAYS: Final = MAX_VOTE_SECONDS // 86_400


def extend_vote(moment: FoldStep, entry: VoteExtended) -> None:
    """Have an open vote counted `entry.seconds` later; from then on it has a time of its own."""
    memory = moment.memory
    vote = find_vote(memory, entry.re)
    reason = extension_refusal(memory, moment.participant, vote, entry.seconds)
    if vote is None or reason:
        refuse_vote_entry(moment, reason, vote)
        return
    vote.seconds = vote_seconds(memory, vote) + entry.seconds
    moment.record_fact(
        "vote.extended", vote.handle, participant=moment.participant, seconds=entry.seconds
    )


def extension_refusal(memory: Memory, name: str, vote: Vote | None, seconds: int) -> str:
    """Why `name` gives `vote` no `seconds` more; "" where they count."""
    if vote is None:
        return "no such vote"
    if vote.status != "open":
        return f"{vote.handle} is {vote.status}"
    if not may_extend(memory, name, vote):
        return f"may not give {vote.handle} more time"
    if seconds < 1:
        return "it is given a second at least"
    if vote_seconds(memory, vote) + seconds > MAX_VOTE_SECONDS:
        return f"a vote runs for {_MOST_DAYS} days at most"
    return ""


def may_extend(memory: Memory, name: str, vote: Vote) -> bool:
    """True of whoever called `vote`, and of whoever may call one."""
    return name == vote.by or may_call(memory, name)
