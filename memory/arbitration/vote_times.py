"""How long a vote has still, and whether the talk waits for it."""

from __future__ import annotations

from parley.memory.arbitration.steps import ElapsedTimes
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.memory.voting.turnout import vote_seconds


def vote_left_ms(memory: Memory, vote: Vote, waited: ElapsedTimes) -> int:
    """The ms until `vote`, which runs, is counted with what is there; 0 and less: it is over."""
    return vote_seconds(memory, vote) * 1000 - waited.votes.get(vote.ref, 0)


def has_longer_time(memory: Memory, vote: Vote) -> bool:
    """True of a vote that was given longer than `vote.seconds`: people come back to it."""
    return vote_seconds(memory, vote) > memory.settings.vote.seconds


def stops_talk(memory: Memory, vote: Vote) -> bool:
    """True of an open vote that the talk waits for.

    One by consent goes on beside it, and so does one that has a longer time than the
    session gives a vote: nobody is silent for a day.
    """
    return vote.status == "open" and vote.rule != "consent" and not has_longer_time(memory, vote)
