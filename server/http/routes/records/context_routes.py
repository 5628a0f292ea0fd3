"""The context of a participant: what it needs to know to speak."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from parley.memory.context.parts import PARTS, Part
from parley.server.http.bodies.memory_responses import ChatRow, ContextRow
from parley.server.http.identity.authorization import Caller, Reader
from parley.server.http.problems.problem_details import Problem, problem_responses
from parley.server.http.requests.memory_reads import At, assemble_context, read_memory
from parley.server.http.requests.message_requests import json_response
from parley.server.http.state.dependencies import (
    MAX_INTEGER,
    Dependencies,
    DependenciesOf,
    SessionId,
)

router = APIRouter(tags=["memory"])

_MOST_SHARED = 16
Profiled = Literal["full", "brief", "raw", "history", "exchange"]


@router.get(
    "/v1/sessions/{session}/context",
    responses={
        **problem_responses("no-session", "not-yet", "budget-too-small", "refused"),
        200: {"model": ContextRow | ChatRow},
    },
)
async def get_context(
    session: SessionId, caller: Reader, deps: DependenciesOf,
    as_: Annotated[
        str | None, Query(alias="as", min_length=1, max_length=128, description="whose; your own")
    ] = None,
    profile: Profiled = "full",
    budget: Annotated[int | None, Query(ge=1, le=MAX_INTEGER, description="tokens")] = None,
    at: At = None,
    parts: Annotated[
        list[Part] | None,
        Query(max_length=len(PARTS), description="of full and brief; may be repeated; all"),
    ] = None,
    shared: Annotated[
        list[str] | None,
        Query(alias="with", max_length=_MOST_SHARED, description="sessions: their decisions too"),
    ] = None,
) -> Response:  # fmt: skip
    """What a participant is told before it speaks; `exchange`: an assistant's chat messages."""
    others = shared or []
    who = await _whose(deps, session, caller, as_)
    for other in others:
        if not caller.may_enter(other):
            raise Problem("other-session")
    if session in others:
        raise Problem("refused", detail="The decisions of a session are in its own context.")
    if profile != "exchange":
        context = await assemble_context(
            deps, session, who, profile, budget, at, others, parts or ()
        )
        return json_response(asdict(context))
    if at is not None or others or parts:
        raise Problem("refused", detail="The profile exchange shows the present of one session.")
    client = deps.backend.session(session, who or "")
    return json_response(asdict(await client.prepare_messages(budget=budget)))


async def _whose(deps: Dependencies, session: str, caller: Caller, name: str | None) -> str | None:
    """The participant that is asked for; another's context is for operators and chairs."""
    if name is None or name == caller.name:
        return None if caller.role == "operator" else caller.name
    if not caller.operator:
        memory = await read_memory(deps, session)
        if memory.named(caller.name) not in memory.chairs:
            raise Problem("not-your-name", needs="operator")
    return name
