"""Votes of a session from a command line: called, agreed to, cast, counted, looked at."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from ulid import ULID

from bus import Bus
from bus.drafts import Draft, result_id
from bus.entries import BallotCast, Entry, VoteConfirmed, VoteInitiated, VoteRule
from listeners import ballots
from listeners.reader import MemoryReader
from memory.errors import UnknownVote
from memory.floor.state import Vote
from memory.lookup import vote_of
from memory.state import Memory, Packs
from memory.voting.calling import refusal
from memory.voting.course import result
from memory.voting.electorate import electorate, read_choice, why_no_ballot
from server.errors import Failure, Misuse
from server.packs import read_packs
from server.running import connected
from server.settings import Settings
from server.talking import handle, made, person
from server.vote_rows import Row, counted_row, vote_row


@dataclass(frozen=True, slots=True)
class _Session:
    """A session that is read and written here."""

    bus: Bus
    packs: Packs
    name: str
    reader: MemoryReader

    async def memory(self) -> Memory:
        return await self.reader.current(self.name)

    async def publish(self, entry: Entry, id: str = "") -> int:
        (receipt,) = await self.bus.publish(self.name, [Draft(id or f"cli:{ULID()}", entry)])
        return receipt.n

    async def row(self, n: int) -> Row:
        """The vote that entry `n` initiated, as it stands now."""
        memory = await self.memory()
        vote = vote_of(memory, n)
        if vote is None:
            raise Failure("another vote came first; 'parley vote show' lists them")
        return vote_row(memory, vote)


@asynccontextmanager
async def _session(settings: Settings, name: str) -> AsyncIterator[_Session]:
    async with connected(settings) as running:
        packs = read_packs(settings.packs).known
        yield _Session(running.bus, packs, name, MemoryReader(running.bus, packs))


async def call(
    settings: Settings,
    session: str,
    question: str,
    *,
    by: str | None,
    on: str | None = None,
    options: Sequence[str] = (),
    **given: Any,
) -> Row:
    """Calls a vote; its row. Raises `Misuse`, and `Failure` where it would not be held."""
    who = by or person()
    fields = {"re": on and handle(on), "options": tuple(options), **given}
    entry = made(VoteInitiated, participant=who, content=question, **fields)
    async with _session(settings, session) as held:
        memory = await held.memory()
        if reason := refusal(memory, memory.named(who), entry):
            raise Failure(_ADVICE.get(reason, "{reason}").format(who=who, reason=reason))
        return await held.row(await held.publish(entry))


_ADVICE: Mapping[str, str] = {
    "may not call a vote": "{who} {reason}; a chair, a person, or an agent that may 'vote' can",
    "nobody is there to vote": "{reason}; whoever votes takes a seat or says something first",
}


async def confirm(
    settings: Settings, session: str, ref: str, *, agreed: bool, by: str | None
) -> Row:
    """Says whether a vote may be held now; its row. Raises `Failure`, `UnknownVote`."""
    who = by or person()
    entry = made(VoteConfirmed, participant=who, agreed=agreed, re=named(ref))
    async with _session(settings, session) as held:
        memory = await held.memory()
        vote = _known(memory, ref)
        if vote.status != "called":
            raise Failure(f"{vote.handle} is {vote.status}: nobody has to agree to it any more")
        _check_elector(memory, who, electorate(memory), vote)
        await held.publish(entry)
        return await held.row(vote.n)


async def cast(
    settings: Settings, session: str, ref: str, choice: Sequence[str], *, by: str | None, why: str
) -> Row:
    """Casts a ballot; the row of its vote. Raises `Misuse` for what is no option of it."""
    who = by or person()
    async with _session(settings, session) as held:
        memory = await held.memory()
        vote = _open(memory, ref)
        _check_elector(memory, who, vote.electorate, vote)
        read = read_choice(vote, choice)
        if read is None:
            raise Misuse(why_no_ballot(vote, choice))
        entry = made(BallotCast, participant=who, re=vote.handle, choice=read, content=why)
        await held.publish(entry)
        return await held.row(vote.n)


async def show(settings: Settings, session: str, ref: str | None) -> list[Row]:
    """The votes that memory holds, or that one. Raises `UnknownVote`."""
    async with _session(settings, session) as held:
        memory = await held.memory()
        found = memory.votes.held.values() if ref is None else [_known(memory, ref)]
        return [vote_row(memory, vote) for vote in found]


async def tally(
    settings: Settings, session: str, ref: str, rule: VoteRule | None, quorum: int | None
) -> Row:
    """The ballots of a vote counted again: its row, `standing` by its own rule, and `again`.

    Raises `UnknownVote`, and `Failure` of a secret vote that is open.
    """
    async with _session(settings, session) as held:
        number = int(named(ref)[1:])
        vote = await ballots.cast(held.bus, held.packs, session, number)
        if vote.status == "open" and vote.secret:
            raise Failure(
                f"{vote.handle} is secret: it is counted when it closes; --count closes it"
            )
        if vote.status in ("called", "cancelled"):
            raise Failure(f"{vote.handle} is {vote.status}: there is nothing to count")
        standing = counted_row(vote, ballots.retally(vote))
        again = None
        if rule is not None or quorum is not None:
            again = counted_row(vote, ballots.retally(vote, rule, quorum), quorum)
        return {**vote_row(await held.memory(), vote), "standing": standing, "again": again}


async def count(settings: Settings, session: str, ref: str) -> Row:
    """Closes a vote with the ballots that are in; its row. Raises `Failure`, `UnknownVote`."""
    async with _session(settings, session) as held:
        memory = await held.memory()
        vote = _open(memory, ref)
        await held.publish(result(memory, vote.ref), result_id(vote.n))
        return await held.row(vote.n)


def named(ref: str) -> str:
    """A handle as memory writes it: `v3` and `3` are `V3`. Raises `Misuse`."""
    number = ref.upper().removeprefix("V")
    if not (number.isascii() and number.isdecimal() and 0 < int(number[:10]) < 10**9):
        raise Misuse(f"{ref!r} is no handle of a vote; they look like V3")
    return f"V{int(number[:10])}"


def _known(memory: Memory, ref: str) -> Vote:
    vote = vote_of(memory, named(ref))
    if vote is None:
        raise UnknownVote(named(ref))
    return vote


def _open(memory: Memory, ref: str) -> Vote:
    vote = _known(memory, ref)
    if vote.status == "called":
        raise Failure(
            f"{vote.handle} is not open: it waits to be agreed to ('parley vote confirm')"
        )
    if vote.status != "open":
        raise Failure(f"{vote.handle} is closed: {vote.status}")
    return vote


def _check_elector(memory: Memory, who: str, electors: Mapping[str, int], vote: Vote) -> None:
    if memory.named(who) not in electors:
        voters = ", ".join(sorted(electors))
        raise Failure(f"{who} has no vote in {vote.handle}; those who have: {voters}")
