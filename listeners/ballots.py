"""The ballots of a vote, read back from the log: what memory let go of, counted again."""

from __future__ import annotations

from bus import Bus
from bus.entries import VoteRule
from listeners.reader import PAGE
from memory.errors import UnknownVote
from memory.floor.state import Vote
from memory.fold import apply
from memory.state import Memory, Packs
from memory.voting.outcomes import counted
from memory.voting.tallying import Result


async def cast(bus: Bus, packs: Packs, session: str, ref: int) -> Vote:
    """Vote `ref` with every ballot of it: as it was when it closed, or as it stands.

    Folds the log up to there, so aliases, weights and which ballot was valid are
    those of the time. Raises `UnknownVote`, `SessionNotFound`.
    """
    info = await bus.info(session)
    memory, after, found = Memory(packs), 0, None
    while page := await bus.read(session, after, to=info.head, count=PAGE):
        for record in page:
            if record.seq not in info.skips:
                apply(memory, record)
            found = memory.votes.held.get(ref, found)
            if found is not None and found.closed:
                return found
        after = page[-1].seq
    if found is None:
        raise UnknownVote(f"V{ref}")
    return found


def retally(vote: Vote, rule: VoteRule | None = None, quorum: int | None = None) -> Result:
    """The same ballots under another rule or quorum. Of a secret vote nobody is named."""
    found = counted(vote, rule, quorum)
    if not vote.secret:
        return found
    return Result(found.rule, found.status, found.carried, found.tally, (), (), ())
