"""Votes: call, confirm, give time, cast, count."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query

from parley.bus.contract.drafts import validate_entry
from parley.bus.entries import VoteInitiated, VoteRule
from parley.server.basics.entry_drafts import normalize_handle
from parley.server.http.bodies.request_bodies import (
    BallotBody,
    ConfirmBody,
    ExtendBody,
    Spoken,
    VoteBody,
)
from parley.server.http.bodies.session_responses import Page, ToldVote, VoteRow
from parley.server.http.identity.authorization import Caller, Reader, RequiresRight, Speaker
from parley.server.http.problems.problem_details import Problem, problem_responses
from parley.server.http.requests.memory_reads import At, read_memory
from parley.server.http.requests.message_requests import IdempotencyKey, entry_id, moderator_name
from parley.server.http.state.dependencies import Dependencies, DependenciesOf, SessionId
from parley.server.rows.cite_rows import Row
from parley.server.services import votes

router = APIRouter(tags=["votes"])

Ref = Annotated[str, Path(pattern=r"^[Vv]?[1-9][0-9]{0,8}$", description="handle, such as V1")]
Voter = Annotated[Caller, Depends(RequiresRight("vote"))]

_changes = partial(
    router.post,
    status_code=201,
    response_model=VoteRow,
    responses=problem_responses(
        "no-session", "no-vote", "closed", "conflict", "not-your-name", "refused", "busy"
    ),
)


@router.get(
    "/v1/sessions/{session}/votes",
    response_model=Page[VoteRow],
    responses=problem_responses("no-session", "not-yet"),
)
async def list_votes(
    session: SessionId, caller: Reader, deps: DependenciesOf, at: At = None
) -> Any:
    """Every vote that memory holds, as it stands."""
    if at is not None:
        return {"items": votes.rows(await read_memory(deps, session, at))}
    rows = await votes.list_votes(deps.backend, session)
    await _watched_if_running(deps, session, rows)
    return {"items": rows}


@_changes("/v1/sessions/{session}/votes")
async def call_vote(
    session: SessionId,
    body: VoteBody,
    caller: Voter,
    deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Any:
    """Ask the group to vote; refused, with the reason, where it would not be held."""
    name = caller.resolve_speaker(body.as_)
    moderator_name(await deps.backend.reader.current(session), caller, body.as_ or name, "vote")
    entry = validate_entry(
        VoteInitiated, participant=name, content=body.question,
        re=body.proposal and normalize_handle(body.proposal), options=tuple(body.options),
        rule=body.rule,
        secret=body.secret, quorum=body.quorum, window=body.window, seconds=body.seconds,
    )  # fmt: skip
    row = await votes.call_vote(deps.backend, session, entry, entry_id(name, key))
    await _watched(deps, session)
    return row


@router.get(
    "/v1/sessions/{session}/votes/{ref}",
    response_model=ToldVote,
    response_model_exclude_unset=True,
    responses=problem_responses("no-session", "no-vote", "refused"),
)
async def get_vote(
    session: SessionId, ref: Ref, caller: Reader, deps: DependenciesOf,
    rule: VoteRule | None = None,
    quorum: Annotated[int | None, Query(ge=0, le=1000, description="per mille")] = None,
) -> Any:  # fmt: skip
    """A vote; with a `rule` or `quorum`, its ballots counted again by those as well."""
    if rule is None and quorum is None:
        (row,) = await votes.list_votes(deps.backend, session, ref)
    else:
        row = await votes.recount_vote(deps.backend, session, ref, rule, quorum)
    await _watched_if_running(deps, session, [row])
    return row


@_changes("/v1/sessions/{session}/votes/{ref}/confirm")
async def confirm_vote(
    session: SessionId, ref: Ref, body: ConfirmBody, caller: Speaker, deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Any:  # fmt: skip
    """Say whether a vote that was called may be held now."""
    by = caller.resolve_speaker(body.as_)
    row = await votes.confirm_vote(
        deps.backend, session, ref, agreed=body.agreed, by=by, id=entry_id(by, key)
    )
    await _watched(deps, session)
    return row


@_changes("/v1/sessions/{session}/votes/{ref}/extend")
async def extend_vote(
    session: SessionId, ref: Ref, body: ExtendBody, caller: Voter, deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Any:  # fmt: skip
    """Give an open vote more time than it has."""
    by = caller.resolve_speaker(body.as_)
    row = await votes.extend_vote(
        deps.backend, session, ref, body.seconds, by=by, id=entry_id(by, key)
    )
    await _watched(deps, session)
    return row


@_changes("/v1/sessions/{session}/votes/{ref}/ballots")
async def cast_ballot(
    session: SessionId, ref: Ref, body: BallotBody, caller: Speaker, deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Any:  # fmt: skip
    """Cast a ballot: one option, or `abstain`; in a ranked vote several, best first.

    The last one that is awaited closes the vote.
    """
    by = caller.resolve_speaker(body.as_)
    row = await votes.cast_ballot(
        deps.backend, session, ref, body.choice, by=by, why=body.why, id=entry_id(by, key),
        closes=True,
    )  # fmt: skip
    await _watched(deps, session)
    return row


@_changes("/v1/sessions/{session}/votes/{ref}/count")
async def count_vote(
    session: SessionId, ref: Ref, caller: Voter, deps: DependenciesOf, body: Spoken | None = None
) -> Any:
    """Close a vote with the ballots that are in."""
    memory = await deps.backend.reader.current(session)
    by = moderator_name(memory, caller, body.as_ if body else None, "vote")
    if not (caller.operator or by in memory.chairs):
        await _check_countable(deps, session, ref)
    row = await votes.close_vote(deps.backend, session, ref)
    deps.channels.nudge(session)
    return row


async def _watched_if_running(deps: Dependencies, session: str, rows: Sequence[Row]) -> None:
    """Nobody may have watched since its server ended: whoever looks at it has it end."""
    if any(row["status"] in ("called", "open") for row in rows):
        await _watched(deps, session)


async def _watched(deps: Dependencies, session: str) -> None:
    """Have it end by itself, whoever watches: its room tells when its time is over."""
    deps.channels.nudge(session)
    await deps.channels.keep_alive(session)


async def _check_countable(deps: Dependencies, session: str, ref: str) -> None:
    """A secret vote that still waits for ballots would tell whose is in: the chair may end it."""
    (vote,) = await votes.list_votes(deps.backend, session, ref)
    if vote["secret"] and vote["status"] == "open" and vote["waiting"]:
        raise Problem(
            "refused", status=409, detail="A secret vote is counted once every ballot is in."
        )
