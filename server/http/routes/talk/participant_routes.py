"""Participants, seats and aliases."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from parley.server.http.bodies.request_bodies import AliasBody, SeatBody
from parley.server.http.bodies.session_responses import Page, PersonRow, ReceiptRow, Seated
from parley.server.http.identity.authorization import Operator, Reader, Speaker
from parley.server.http.problems.problem_details import Problem, problem_responses
from parley.server.http.requests.memory_reads import At, read_memory
from parley.server.http.requests.message_requests import IdempotencyKey, entry_id, receipt_response
from parley.server.http.state.dependencies import DependenciesOf, SessionId
from parley.server.rows.floor_rows import person_rows
from parley.server.services.participant_aliases import add_alias as aliased

router = APIRouter(tags=["participants"])


@router.get(
    "/v1/sessions/{session}/participants",
    response_model=Page[PersonRow],
    responses=problem_responses("no-session", "not-yet"),
)
async def list_participants(
    session: SessionId, caller: Reader, deps: DependenciesOf, at: At = None
) -> Any:
    """Whoever sits or has spoken: the seats as they were taken, then the others."""
    memory = await read_memory(deps, session, at)
    return {"items": person_rows(memory, memory.participants)}


@router.post(
    "/v1/sessions/{session}/seats",
    status_code=201,
    response_model=Seated,
    responses=problem_responses("no-session", "closed", "seat-taken", "refused", "busy"),
)
async def take_seat(
    session: SessionId, body: SeatBody, caller: Speaker, deps: DependenciesOf
) -> Any:
    """Take a seat, in the role and with the powers of the token; the same seat where it is taken.

    It is kept by being used, and given up after a time of silence.
    """
    if caller.role not in ("agent", "person"):
        raise Problem("forbidden", detail="Only a person or an agent takes a seat.")
    seat = await deps.seats.take(
        caller, session, description=body.description, interests=body.interests,
        listens=body.listens, answer_seconds=body.answer_seconds,
    )  # fmt: skip
    deps.channels.nudge(session)
    memory = seat.memory
    return {
        "seat": seat.name, "session": session, "role": seat.role, "n": memory.n,
        "after": memory.seq, "policy": memory.settings.floor.policy,
        "listens": memory.floor.seats[memory.named(seat.name)].listens,
    }  # fmt: skip


@router.delete(
    "/v1/sessions/{session}/seats/me",
    status_code=204,
    responses=problem_responses("no-session", "seat-taken"),
)
async def leave_seat(session: SessionId, caller: Speaker, deps: DependenciesOf) -> Response:
    """Give the seat up; nothing where there is none."""
    await deps.seats.leave(caller.name, session)
    deps.channels.nudge(session)
    return Response(status_code=204)


@router.post(
    "/v1/sessions/{session}/aliases",
    status_code=201,
    responses={
        **problem_responses("no-session", "closed", "conflict", "refused", "busy"),
        200: {"model": ReceiptRow, "description": "It stood there before"},
        201: {"model": ReceiptRow},
    },
)
async def add_alias(
    session: SessionId,
    body: AliasBody,
    caller: Operator,
    deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Response:
    """Say that one name is another name of a participant, from the beginning on."""
    by = caller.name if body.as_ is None else caller.resolve_speaker(body.as_)
    own = entry_id(by, key)
    receipt = await aliased(deps.backend, session, body.alias, body.participant, by, own)
    deps.channels.nudge(session)
    return receipt_response(receipt, own)
