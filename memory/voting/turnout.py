"""Whether a vote can be counted: every ballot is in, or its time or its window is over."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.memory.voting.electorate import list_missing_voters
from parley.memory.voting.outcomes import count_vote

_IN: Final = "in"


class VoteLook(Struct, frozen=True, gc=False):
    """Vote that entry `n` initiated is to be looked at, because of `cause`.

    `in`: nothing more is waited for; else so many seconds after it was called, its time.
    `id` is `vote:<n>:<cause>`.
    """

    n: int
    cause: str

    @property
    def id(self) -> str:
        return f"vote:{self.n}:{self.cause}"


def list_due_looks(memory: Memory) -> list[VoteLook]:
    """What the votes that run are owed, so that each ends though nobody watches it.

    Memory has no clock: whoever looks finds out whether the time of one is over.
    """
    vote_looks = []
    for vote in pending_votes(memory):
        vote_looks += [
            VoteLook(vote.n, str(vote_seconds(memory, vote))),
            *([VoteLook(vote.n, _IN)] if is_complete(memory, vote) else []),
        ]
    return vote_looks


def vote_seconds(memory: Memory, vote: Vote) -> int:
    """How long after its call `vote` is counted with what is there."""
    return vote.seconds or memory.settings.vote.seconds


def find_open_vote(memory: Memory, n: int) -> Vote | None:
    """The vote that entry `n` initiated; None where it is over, or never was."""
    return next((vote for vote in pending_votes(memory) if vote.n == n), None)


def pending_votes(memory: Memory) -> list[Vote]:
    """The votes that are called or open, oldest first."""
    return [memory.votes.by_ref[ref] for ref in memory.votes.running]


def is_complete(memory: Memory, vote: Vote) -> bool:
    """True where it is open, and no further ballot, and no further word, is to be waited for."""
    if vote.status != "open":
        return False
    if vote.rule == "consent":  # silence is a yes until its window is over
        passed = memory.messages - vote.opened >= vote.window
        return passed or count_vote(vote).carried is None
    return not any(_is_awaited(memory, vote, name) for name in list_missing_voters(vote))


def _is_awaited(memory: Memory, vote: Vote, name: str) -> bool:
    """Who left, and who has no weight, is not waited for."""
    seat = memory.floor.seats.get(name)
    return vote.electorate[name] > 0 and (seat is None or seat.present)
