"""What votes came to: the entry that ends one, and ballots read back from the log."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from parley.bus import Bus, Draft
from parley.bus.contract.drafts import result_id
from parley.bus.contract.errors import Conflict
from parley.bus.entries import VoteRule
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.cache.ranges import read_pages, replay_pages
from parley.memory.errors import UnknownVote
from parley.memory.state.memory import Memory, Packs
from parley.memory.state.vote_state import Vote
from parley.memory.voting.counting_rules import VoteResult
from parley.memory.voting.outcomes import count_vote
from parley.memory.voting.turnout import find_open_vote
from parley.memory.voting.votes import compute_result

TRIES: Final = 5  # of one vote, where ballots keep coming before its result


def result_draft(memory: Memory, vote: Vote) -> Draft:
    """What ends `vote`, which runs, as `memory` has it, under the id that everybody gives it.

    One that still waits to be agreed to is given up: its result, should it be agreed to
    just now, is to come.
    """
    name = f"unagreed:{vote.n}" if vote.status == "called" else result_id(vote.n, vote.heard)
    return Draft(name, compute_result(memory, vote.ref))


async def end_vote(
    bus: Bus,
    reader: MemoryReader,
    session: str,
    n: int,
    due: Callable[[Memory, Vote], bool],
    *,
    incarnation: str,
) -> Memory:
    """Have a result of the vote of entry `n` stand, while it is `due`; the memory then.

    A result that a ballot came before is counted again, for a few times. `incarnation` is
    that of the log in which it was found due. Raises `Fenced` where another took its place
    since, `SessionClosed`, and what a reader raises.
    """
    tried = ""
    for _ in range(TRIES):
        memory = await reader.current(session)
        vote = find_open_vote(memory, n)
        if vote is None or not due(memory, vote):
            return memory
        draft = result_draft(memory, vote)
        if draft.id == tried:  # it closed nothing: somebody else's entry has that id
            draft = Draft(f"{tried}:{secrets.token_hex(6)}", draft.entry)
        tried = draft.id
        with contextlib.suppress(Conflict):
            await bus.publish(session, [draft], incarnation=incarnation)
    return await reader.current(session)


async def read_ballots(bus: Bus, packs: Packs, session: str, ref: int) -> Vote:
    """Vote `ref` with every ballot of it: as it was when it closed, or as it stands.

    Folds the log up to there, so aliases, weights and which ballot was valid are
    those of the time. Raises `UnknownVote`, `SessionNotFound`.
    """
    info = await bus.info(session)
    memory, vote = Memory(packs), None
    pages = read_pages(bus, session, to=info.head)
    async with contextlib.aclosing(replay_pages(memory, pages, info.skips)) as log:
        async for _ in log:
            vote = memory.votes.by_ref.get(ref, vote)
            if vote is not None and vote.closed:
                return vote
    if vote is None:
        raise UnknownVote(f"V{ref}")
    return vote


def recount(vote: Vote, rule: VoteRule | None = None, quorum: int | None = None) -> VoteResult:
    """The count of the ballots under another rule or quorum. Of a secret vote nobody is named."""
    result = count_vote(vote, rule, quorum)
    if vote.status == "short" and rule is None and quorum is None:
        result = replace(result, status="short", carried=None)  # too few others took part
    if not vote.secret:
        return result
    return VoteResult(result.rule, result.status, result.carried, result.tally, (), (), ())
