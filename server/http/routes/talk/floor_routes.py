"""The floor: bids, grants, phases."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response

from parley.listeners.sessions.session import Session
from parley.server.chat_commands.moderator_commands import Moderation
from parley.server.http.bodies.request_bodies import BidBody, FloorBody, PassBody, PhaseBody, Spoken
from parley.server.http.bodies.session_responses import FloorRow, ReceiptRow
from parley.server.http.identity.authorization import Caller, Reader, RequiresRight, Speaker
from parley.server.http.problems.problem_details import Problem, problem_responses
from parley.server.http.requests import floor_requests
from parley.server.http.requests.floor_requests import read_floor_row
from parley.server.http.requests.memory_reads import read_memory
from parley.server.http.requests.message_requests import (
    IdempotencyKey,
    entry_id,
    moderator_name,
    receipt_response,
)
from parley.server.http.state.dependencies import Dependencies, DependenciesOf, SessionId
from parley.server.services.floor_moderation import moderate_floor

router = APIRouter(tags=["floor"])

Granter = Annotated[Caller, Depends(RequiresRight("grant"))]
Interrupter = Annotated[Caller, Depends(RequiresRight("interrupt"))]
Muter = Annotated[Caller, Depends(RequiresRight("mute"))]
Pauser = Annotated[Caller, Depends(RequiresRight("pause"))]
Phaser = Annotated[Caller, Depends(RequiresRight("phase"))]

_asks = partial(
    router.post,
    status_code=201,
    response_model=FloorRow,
    responses=problem_responses("no-session", "closed", "floor-required", "seat-taken", "busy"),
)
_moderates = partial(
    router.post,
    status_code=201,
    responses={
        **problem_responses(
            "no-session", "closed", "conflict", "not-your-name", "floor-moved", "refused", "busy"
        ),
        200: {"model": ReceiptRow, "description": "It stood there before"},
        201: {"model": ReceiptRow},
    },
)


@router.get(
    "/v1/sessions/{session}/floor",
    response_model=FloorRow,
    responses=problem_responses("no-session"),
)
async def get_floor(session: SessionId, caller: Reader, deps: DependenciesOf) -> Any:
    """Who has the floor, who asks for it, who sits where; and what is in your way, until when."""
    return await read_floor_row(deps, session, caller.name)


@_asks("/v1/sessions/{session}/floor/bids")
async def bid_for_floor(
    session: SessionId, body: BidBody, caller: Speaker, deps: DependenciesOf
) -> Any:
    """Ask for the floor, from a seat that was taken here; `because` says so where you have it."""
    seat = _seat(deps, session, caller)
    await floor_requests.bid_for_floor(
        deps, session, seat, urgency=body.urgency, intent=body.intent, re=body.re,
        novelty=body.novelty,
    )  # fmt: skip
    return await read_floor_row(deps, session, caller.name)


@_asks("/v1/sessions/{session}/floor/passes")
async def pass_floor(
    session: SessionId, body: PassBody, caller: Speaker, deps: DependenciesOf
) -> Any:
    """Have nothing to add now; `ready`: nothing until something new is said."""
    await _seat(deps, session, caller).pass_(ready=body.ready, reason=body.reason)
    deps.channels.nudge(session)
    return await read_floor_row(deps, session, caller.name)


def _seat(deps: Dependencies, session: str, caller: Caller) -> Session:
    """Raises `Problem` `floor-required` for whoever took none here."""
    seat = deps.seats.find(caller.name, session, caller.seat_role)
    if seat is None:
        raise Problem("floor-required")
    return seat


async def _moderate(
    deps: Dependencies, session: str, caller: Caller, moderation: Moderation, body: Spoken | None,
    key: str | None,
) -> Response:  # fmt: skip
    """Done in the caller's name; an operator's own word is the server's."""
    named = None if body is None else body.as_
    memory = await deps.backend.reader.current(session)
    by = moderator_name(memory, caller, named, moderation.right)
    own = entry_id(by or caller.name, key)
    receipt = await moderate_floor(
        deps.backend, session, moderation, by or caller.name, own, server=by is None
    )
    deps.channels.nudge(session)
    await read_memory(deps, session)  # what is said from here on is judged by it
    return receipt_response(receipt, own)


@_moderates("/v1/sessions/{session}/floor/grant")
async def grant_floor(
    session: SessionId,
    body: FloorBody,
    deps: DependenciesOf,
    caller: Granter,
    key: IdempotencyKey = None,
) -> Response:
    """Give an agent the floor."""
    moderation = Moderation("grant", body.participant)
    return await _moderate(deps, session, caller, moderation, body, key)


@_moderates("/v1/sessions/{session}/floor/interrupt")
async def interrupt_floor(
    session: SessionId, deps: DependenciesOf, caller: Interrupter, body: Spoken | None = None,
    key: IdempotencyKey = None,
) -> Response:  # fmt: skip
    """Take the floor from whoever has it."""
    return await _moderate(deps, session, caller, Moderation("interrupt"), body, key)


@_moderates("/v1/sessions/{session}/floor/mute")
async def mute_participant(
    session: SessionId,
    body: FloorBody,
    deps: DependenciesOf,
    caller: Muter,
    key: IdempotencyKey = None,
) -> Response:
    """Let an agent say nothing, whatever the policy."""
    moderation = Moderation("mute", body.participant)
    return await _moderate(deps, session, caller, moderation, body, key)


@_moderates("/v1/sessions/{session}/floor/unmute")
async def unmute_participant(
    session: SessionId,
    body: FloorBody,
    deps: DependenciesOf,
    caller: Muter,
    key: IdempotencyKey = None,
) -> Response:
    """Let an agent speak again."""
    moderation = Moderation("unmute", body.participant)
    return await _moderate(deps, session, caller, moderation, body, key)


@_moderates("/v1/sessions/{session}/floor/pause")
async def pause_floor(
    session: SessionId, deps: DependenciesOf, caller: Pauser, body: Spoken | None = None,
    key: IdempotencyKey = None,
) -> Response:  # fmt: skip
    """Give no agent the floor until it is resumed."""
    return await _moderate(deps, session, caller, Moderation("pause"), body, key)


@_moderates("/v1/sessions/{session}/floor/resume")
async def resume_floor(
    session: SessionId, deps: DependenciesOf, caller: Pauser, body: Spoken | None = None,
    key: IdempotencyKey = None,
) -> Response:  # fmt: skip
    """Give agents the floor again."""
    return await _moderate(deps, session, caller, Moderation("resume"), body, key)


@_moderates("/v1/sessions/{session}/phases")
async def begin_phase(
    session: SessionId,
    body: PhaseBody,
    deps: DependenciesOf,
    caller: Phaser,
    key: IdempotencyKey = None,
) -> Response:
    """Begin a phase; it ends the one before."""
    moderation = Moderation("phase", body.title)
    return await _moderate(deps, session, caller, moderation, body, key)
