"""Participants, seats and aliases."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from parley.memory.state.memory import Memory
from parley.server.http.bodies.request_bodies import AliasBody, SeatBody
from parley.server.http.bodies.session_responses import Page, PersonRow, ReceiptRow, Seated
from parley.server.http.identity.authorization import Operator, Reader, Speaker
from parley.server.http.problems.problem_details import Problem, problem_responses
from parley.server.http.requests.memory_reads import At, read_memory
from parley.server.http.requests.message_requests import IdempotencyKey, entry_id, receipt_response
from parley.server.http.state.dependencies import DependenciesOf, SessionId
from parley.server.rows.page_rows import aliases_by_name, assign_hues
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
    return {"items": participant_rows(await read_memory(deps, session, at))}


def participant_rows(memory: Memory) -> list[dict[str, Any]]:
    """A row each. Pure."""
    seats = memory.floor.seats
    seated = sorted(seats, key=lambda name: seats[name].order)
    names = [*seated, *(name for name in memory.participants if name not in seats)]
    shades = assign_hues([*memory.participants, *seats])
    known = aliases_by_name(memory)
    return [_person(memory, name, known.get(name, []), shades[name]) for name in names]


def _person(memory: Memory, name: str, aliases: list[str], hue: int) -> dict[str, Any]:
    seat, spoken = memory.floor.seats.get(name), memory.participants.get(name)
    cites = spoken.contributions if spoken else []
    return {
        "name": name,
        "role": seat.role if seat else None,
        "present": seat is not None and seat.present,
        "messages": spoken.messages if spoken else 0,
        "last": cites[-1].n if cites else None,
        "may": None if seat is None or seat.may is None else list(seat.may),
        "muted": seat is not None and seat.muted,
        "aliases": aliases,
        "hue": hue,
    }


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
