"""Results of tools that are kept."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Response

from parley.listeners.tools.assistant import PrefetchedResult
from parley.server.http.bodies.request_bodies import CallBody, LookupBody, ResultBody, ScreenBody
from parley.server.http.bodies.session_responses import Page, ReceiptRow
from parley.server.http.bodies.work_responses import BegunRow, FoundRow, KeptRow, ScreenRow
from parley.server.http.identity.authorization import Reader, Speaker
from parley.server.http.problems.problem_details import Problem, problem_responses
from parley.server.http.requests.memory_reads import At, read_memory
from parley.server.http.requests.message_requests import (
    IdempotencyKey,
    entry_id,
    json_response,
    receipt_response,
)
from parley.server.http.state.dependencies import DependenciesOf, SessionId
from parley.server.rows.layer_rows import kept_result_rows
from parley.server.services import tool_cache

router = APIRouter(tags=["tools"])


@router.get(
    "/v1/sessions/{session}/tools",
    response_model=Page[KeptRow],
    responses=problem_responses("no-session", "not-yet"),
)
async def list_tools(
    session: SessionId, caller: Reader, deps: DependenciesOf, at: At = None
) -> Any:
    """What tools returned and is kept, oldest first."""
    return {"items": list(kept_result_rows(await read_memory(deps, session, at)))}


@router.post(
    "/v1/sessions/{session}/tools/lookup",
    response_model=FoundRow,
    responses=problem_responses(
        "no-session", "no-result", "closed", "not-your-name", "refused", "busy"
    ),
)
async def look_up_result(
    session: SessionId, body: LookupBody, caller: Speaker, deps: DependenciesOf
) -> Any:
    """The kept result of a call, in full: a hit, which is on the record and keeps it longer."""
    by = caller.resolve_speaker(body.as_)
    result = await tool_cache.look_up_result(
        deps.backend, session, body.tool, body.arguments, by, body.version
    )
    if result is None:
        raise Problem("no-result")
    deps.channels.nudge(session)
    return asdict(result)


@router.post(
    "/v1/sessions/{session}/tools/calls",
    status_code=201,
    responses={
        **problem_responses("no-session", "closed", "not-your-name", "refused", "busy"),
        200: {"model": FoundRow, "description": "It is kept, or another call returned it"},
        201: {"model": BegunRow},
    },
)
async def begin_call(
    session: SessionId, body: CallBody, caller: Speaker, deps: DependenciesOf
) -> Response:
    """Ask for what a tool that only reads returns: had already, or to be run by the caller now."""
    by = caller.resolve_speaker(body.as_)
    begun = await tool_cache.begin_call(
        deps.backend, session, body.tool, body.arguments, by, body.version, body.wait
    )
    deps.channels.nudge(session)
    if isinstance(begun, str):
        return json_response({"call_id": begun}, 201)
    return json_response(asdict(begun))


@router.post(
    "/v1/sessions/{session}/context",
    response_model=ScreenRow,
    responses=problem_responses("no-session", "closed", "not-your-name", "refused", "busy"),
)
async def show_screen(
    session: SessionId, body: ScreenBody, caller: Speaker, deps: DependenciesOf
) -> Any:
    """Note what is on the user's screen, and what was fetched for it, once for each content."""
    by = caller.resolve_speaker(body.as_)
    fetched = [PrefetchedResult(**row.model_dump()) for row in body.results]
    messages = await tool_cache.show_screen(
        deps.backend, session, body.screen, body.content, by, fetched
    )
    deps.channels.nudge(session)
    return {"messages": messages}


@router.post(
    "/v1/sessions/{session}/tools/results",
    status_code=201,
    responses={
        **problem_responses("no-session", "closed", "conflict", "not-your-name", "refused", "busy"),
        200: {"model": ReceiptRow, "description": "It stood there before"},
        201: {"model": ReceiptRow},
    },
)
async def put_result(
    session: SessionId,
    body: ResultBody,
    caller: Speaker,
    deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Response:
    """Put what a tool returned on the record; kept where it only reads and did not fail."""
    by = caller.resolve_speaker(body.as_)
    own = entry_id(by, key)
    receipt = await tool_cache.keep_result(
        deps.backend, session, body.tool, body.arguments, body.result, by, of=body.of,
        version=body.version, ttl=body.ttl, error=body.error, read_only=body.read_only,
        call_id=body.call_id or own, id=own,
    )  # fmt: skip
    deps.channels.nudge(session)
    return receipt_response(receipt, own)
