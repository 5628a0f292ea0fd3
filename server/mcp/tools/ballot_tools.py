"""The tools of votes: call, agree to, extend, cast. The last awaited ballot closes its vote."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from parley.bus import Draft, Receipt
from parley.bus.contract.drafts import validate_entry
from parley.bus.contract.errors import Conflict, SessionClosed
from parley.bus.entries import BallotCast, Entry, VoteInitiated
from parley.listeners.sessions.session import Session
from parley.listeners.votes.vote_results import result_draft
from parley.memory.state.lookup import find_vote
from parley.memory.voting.electorate import read_choice
from parley.memory.voting.turnout import is_complete
from parley.server.basics.entry_drafts import normalize_handle
from parley.server.http.problems.problem_details import Problem
from parley.server.http.requests.message_requests import entry_id
from parley.server.mcp.tools.speech_tools import caught_up_seat, read_outcome, room_head, seat_of
from parley.server.mcp.tools.tool_call import ToolCall
from parley.server.mcp.tools.tool_results import SpeechResult, VoteRow
from parley.server.queries.vote_ends import add_ends
from parley.server.rows.vote_rows import vote_row
from parley.server.services import votes
from parley.server.services.publication import find_published


async def vote(call: ToolCall) -> SpeechResult:
    args, seat, after = call.args, await caught_up_seat(call), room_head(call)
    own = entry_id(seat.name, args.key)
    before = await find_repeat(call, own, _ballot(seat, args.ref, args.choice, args.why))
    if before is not None:
        return await read_outcome(call, seat, before.seq - 1, before.n, duplicate=True)
    n = await seat.vote(args.ref, *args.choice, why=args.why, id=own)
    cast = await read_outcome(call, seat, after, n)
    closed = await _close_if_complete(call, seat, _vote(args.ref))
    if closed is None:
        return cast
    then = await read_outcome(call, seat, closed.seq - 1, closed.n)
    return cast.model_copy(update={"found": [*cast.found, *then.found]})


async def confirm_vote(call: ToolCall) -> VoteRow:
    args, seat, backend = call.args, await seat_of(call), call.deps.backend
    own = entry_id(seat.name, args.key)
    row = await votes.confirm_vote(
        backend, call.session, args.ref, agreed=args.agreed, by=seat.name, id=own
    )
    call.deps.channels.nudge(call.session)
    return VoteRow.model_validate(row)


def _ballot(seat: Session, ref: str, choice: Sequence[str], why: str) -> BallotCast | None:
    """What that ballot is as an entry; None where it is none."""
    vote = find_vote(seat.memory, _vote(ref))
    read = None if vote is None else read_choice(vote, choice)
    if vote is None or read is None:
        return None
    return validate_entry(BallotCast, participant=seat.name, re=vote.n, choice=read, content=why)


def _vote(ref: str) -> str:
    return "V" + ref.lstrip("Vv")


async def find_repeat(call: ToolCall, own: str, entry: Entry | None) -> Receipt | None:
    """Where `entry` stands, if this call was made before, under the same key."""
    if call.args.key is None or entry is None:
        return None
    return await find_published(call.deps.backend.bus, call.session, Draft(own, entry))


async def _close_if_complete(call: ToolCall, seat: Session, ref: str) -> Receipt | None:
    """Close the vote once everybody voted, so that its end is there when the tool returns.

    Its id is the one that everybody gives who counts it, so it is closed once.
    """
    vote, room = find_vote(seat.memory, ref), call.deps.channels.current(call.session)
    if room is None or vote is None or not is_complete(seat.memory, vote):
        return None
    with contextlib.suppress(Conflict, SessionClosed):
        return (await room.publish([result_draft(seat.memory, vote)]))[0]
    return None


async def call_vote(call: ToolCall) -> VoteRow:
    args, seat = call.args, await caught_up_seat(call)
    own, on = entry_id(seat.name, args.key), args.proposal and normalize_handle(args.proposal)
    given: dict[str, Any] = {
        "re": on,
        "rule": args.rule,
        "secret": args.secret,
        "seconds": args.seconds,
    }
    entry = validate_entry(
        VoteInitiated, participant=seat.name, content=args.question,
        options=tuple(args.options), **given,
    )  # fmt: skip
    before = await find_repeat(call, own, entry)
    if before is not None:
        n = before.n
    else:
        n = await seat.call_vote(args.question, options=args.options, id=own, **given)
    vote = find_vote(seat.memory, n)
    if vote is None:
        raise Problem("refused", status=409, detail="Another vote came first; look at the votes.")
    row = vote_row(seat.memory, vote)
    await add_ends(call.deps.backend.bus, call.session, seat.memory, [row])
    return VoteRow.model_validate(row)


async def extend_vote(call: ToolCall) -> VoteRow:
    args, seat, backend = call.args, await seat_of(call), call.deps.backend
    row = await votes.extend_vote(
        backend, call.session, args.ref, args.seconds, by=seat.name,
        id=entry_id(seat.name, args.key),
    )  # fmt: skip
    call.deps.channels.nudge(call.session)
    return VoteRow.model_validate(row)
