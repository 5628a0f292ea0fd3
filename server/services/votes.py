"""Votes of a session, for commands and doors: called, agreed to, extended, counted, looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from parley.bus.contract.drafts import is_handle
from parley.bus.contract.errors import Fenced, SessionClosed
from parley.bus.entries import BallotCast, VoteConfirmed, VoteExtended, VoteInitiated, VoteRule
from parley.listeners.votes import vote_results
from parley.memory.errors import UnknownVote
from parley.memory.state.lookup import find_vote
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.memory.voting.electorate import explain_bad_ballot, list_electorate, read_choice
from parley.memory.voting.extensions import extension_refusal, may_extend
from parley.memory.voting.turnout import is_complete
from parley.memory.voting.vote_advice import advise_caller, tell_ended
from parley.memory.voting.vote_calls import call_refusal
from parley.server.basics.entry_drafts import build_entry, handle_of_kind, normalize_handle
from parley.server.basics.errors import Failure, Misuse, NotTheirs
from parley.server.queries.vote_ends import add_ends
from parley.server.rows.cite_rows import Row
from parley.server.rows.vote_rows import count_row, vote_row
from parley.server.runtime.backend import Backend
from parley.server.services.publication import publish_entry, published_n


async def _row(backend: Backend, session: str, n: int) -> Row:
    """The vote that entry `n` initiated, as it stands now."""
    memory = await backend.reader.current(session)
    return await _shown(backend, session, memory, _initiated(memory, n))


async def _shown(backend: Backend, session: str, memory: Memory, vote: Vote) -> Row:
    """The row of `vote`, with when it is over where it runs."""
    row = vote_row(memory, vote)
    await add_ends(backend.bus, session, memory, [row])
    return row


def _initiated(memory: Memory, n: int) -> Vote:
    vote = find_vote(memory, n)
    if vote is None:
        raise Failure("another vote came first; 'parley vote show' lists them")
    return vote


def draft_vote_call(
    question: str, *, by: str, on: str | None = None, options: Sequence[str] = (), **given: Any
) -> VoteInitiated:
    """The entry that calls a vote. Raises `Misuse`."""
    if is_handle(normalize_handle(question.strip())):
        raise Misuse(
            f"{question!r} is no question; --on {normalize_handle(question)} is what a vote is on"
        )
    fields = {"re": on and normalize_handle(on), "options": tuple(options), **given}
    return build_entry(VoteInitiated, participant=by, content=question, **fields)


async def call_vote(backend: Backend, session: str, entry: VoteInitiated, id: str = "") -> Row:
    """Publishes the call of a vote; its row. Raises `Failure` where it would not be held."""
    memory, who = await backend.reader.current(session), entry.participant
    reason = call_refusal(memory, memory.named(who), entry)
    # Only now: the same request may be under way, and be the vote that is in the way.
    if (before := await published_n(backend.bus, session, entry, id)) is not None:
        return await _row(backend, session, before)
    if reason:
        advice = advise_caller(memory, entry, reason)
        raise NotTheirs(who, f"{who} {advice}" if reason.startswith("may not") else advice)
    return await _row(backend, session, (await publish_entry(backend.bus, session, entry, id)).n)


async def confirm_vote(
    backend: Backend, session: str, ref: str, *, agreed: bool, by: str, id: str = ""
) -> Row:
    """Publishes whether a vote may be held now; its row. Raises `Failure`, `UnknownVote`."""
    entry = build_entry(VoteConfirmed, participant=by, agreed=agreed, re=_vote_handle(ref))
    memory = await backend.reader.current(session)
    vote = _known(memory, ref)
    if await published_n(backend.bus, session, entry, id) is not None:
        return await _row(backend, session, vote.n)
    if vote.status != "called":
        raise Failure(f"{vote.handle} is {vote.status}: nobody has to agree to it any more")
    _check_elector(memory, by, list_electorate(memory), vote)
    await publish_entry(backend.bus, session, entry, id)
    return await _row(backend, session, vote.n)


async def extend_vote(
    backend: Backend, session: str, ref: str, seconds: int, *, by: str, id: str = ""
) -> Row:
    """Publishes that an open vote is counted `seconds` later; its row.

    Raises `UnknownVote`, and `Failure` where it is not open, also by the time that this lands,
    or `by` may not.
    """
    entry = build_entry(VoteExtended, participant=by, re=_vote_handle(ref), seconds=seconds)
    memory = await backend.reader.current(session)
    vote = _known(memory, ref)
    if await published_n(backend.bus, session, entry, id) is not None:
        return await _row(backend, session, vote.n)
    _open(memory, ref)
    if not may_extend(memory, memory.named(by), vote):
        raise NotTheirs(
            by, f"{by} may not give {vote.handle} more time; {vote.by}, who called it, can, "
            "a chair, a person, or an agent that may 'vote'",
        )  # fmt: skip
    if reason := extension_refusal(memory, memory.named(by), vote, seconds):
        raise Failure(reason)
    n = (await publish_entry(backend.bus, session, entry, id)).n
    memory = await backend.reader.current(session)
    vote = _initiated(memory, vote.n)
    if 0 < vote.closed <= n:
        raise Failure(f"{vote.handle} is closed: {vote.status}; the time came after its end")
    return await _shown(backend, session, memory, vote)


async def cast_ballot(
    backend: Backend,
    session: str,
    ref: str,
    choice: Sequence[str],
    *,
    by: str,
    why: str,
    id: str = "",
    closes: bool = False,
) -> Row:
    """Publishes a ballot; the row of its vote, which ends by it if it `closes` and none is missing.

    Whoever takes the last ballot may count: the first result stands, and all are the same.
    Raises `Misuse` for what is no option of it, and `Failure` where the vote has ended, also
    while the ballot was on its way.
    """
    memory = await backend.reader.current(session)
    vote = _known(memory, ref)
    read = read_choice(vote, choice)
    entry = build_entry(BallotCast, participant=by, re=vote.handle, choice=read or (), content=why)
    n = None if read is None else await published_n(backend.bus, session, entry, id)
    if n is None:
        _open(memory, ref)
        _check_elector(memory, by, vote.electorate, vote)
        if read is None:
            raise Misuse(explain_bad_ballot(vote, choice))
        n = (await publish_entry(backend.bus, session, entry, id)).n
    memory = await backend.reader.current(session)
    vote = _initiated(memory, vote.n)
    if 0 < vote.closed < n:
        raise Failure(f"{vote.handle} is closed: {vote.status}; the ballot came after its end")
    if closes and is_complete(memory, vote):
        return await _close_complete(backend, session, vote.n)
    return await _shown(backend, session, memory, vote)


async def list_votes(backend: Backend, session: str, ref: str | None = None) -> list[Row]:
    """The votes that memory holds, or that one. Raises `UnknownVote`."""
    memory = await backend.reader.current(session)
    listed = rows(memory) if ref is None else [vote_row(memory, _known(memory, ref))]
    await add_ends(backend.bus, session, memory, listed)
    return listed


def rows(memory: Memory) -> list[Row]:
    """The votes that `memory` holds. Pure."""
    return [vote_row(memory, vote) for vote in memory.votes.by_ref.values()]


async def recount_vote(
    backend: Backend, session: str, ref: str, rule: VoteRule | None, quorum: int | None
) -> Row:
    """The ballots of a vote counted again: its row, `standing` by its own rule, and `again`.

    Raises `UnknownVote`, and `Failure` of a secret vote that is open.
    """
    vote = await vote_results.read_ballots(
        backend.bus, backend.packs.known, session, int(_vote_handle(ref)[1:])
    )
    if vote.status == "open" and vote.secret:
        raise Failure(f"{vote.handle} is secret: it is counted when it closes; --count closes it")
    if vote.status in ("called", "cancelled"):
        raise Failure(f"{vote.handle} is {vote.status}: there is nothing to count")
    standing = count_row(vote, vote_results.recount(vote))
    again = None
    if rule is not None or quorum is not None:
        again = count_row(vote, vote_results.recount(vote, rule, quorum), quorum)
    memory = await backend.reader.current(session)
    row = await _shown(backend, session, memory, vote)
    return {**row, "standing": standing, "again": again}


async def close_vote(backend: Backend, session: str, ref: str) -> Row:
    """Closes a vote with the ballots that are in; its row. Raises `Failure`, `UnknownVote`."""
    incarnation = (await backend.bus.info(session)).incarnation
    vote = _open(await backend.reader.current(session), ref)
    try:
        memory = await vote_results.end_vote(
            backend.bus, backend.reader, session, vote.n, lambda _, vote: vote.status == "open",
            incarnation=incarnation,
        )  # fmt: skip
    except Fenced:
        raise Failure("the session was replaced or redacted meanwhile: count again") from None
    return vote_row(memory, _initiated(memory, vote.n))


async def _close_complete(backend: Backend, session: str, n: int) -> Row:
    """The row of the vote of entry `n`, which ends if nothing more is waited for by now either."""
    incarnation = (await backend.bus.info(session)).incarnation
    try:
        memory = await vote_results.end_vote(
            backend.bus, backend.reader, session, n, is_complete, incarnation=incarnation
        )
    except (Fenced, SessionClosed):
        return await _row(backend, session, n)
    return vote_row(memory, _initiated(memory, n))


def _vote_handle(ref: str) -> str:
    """The handle of a vote as memory writes it. Raises `Misuse`."""
    return handle_of_kind("V", ref, "a vote")


def _known(memory: Memory, ref: str) -> Vote:
    vote = find_vote(memory, _vote_handle(ref))
    if vote is None:
        raise UnknownVote(_vote_handle(ref))
    return vote


def _open(memory: Memory, ref: str) -> Vote:
    vote = _known(memory, ref)
    if vote.status == "called":
        raise Failure(
            f"{vote.handle} is not open: it waits to be agreed to ('parley vote confirm')"
        )
    if vote.status != "open":
        raise Failure(tell_ended(memory, vote))
    return vote


def _check_elector(memory: Memory, who: str, electors: Mapping[str, int], vote: Vote) -> None:
    if memory.named(who) not in electors:
        voters = ", ".join(sorted(electors))
        raise NotTheirs(
            who, f"{who} has no vote in {vote.handle}, which has those who were there when it "
            f"opened: {voters}; what {who} says counts as talk",
        )  # fmt: skip
