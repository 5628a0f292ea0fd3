"""Results of tools that are kept."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Response

from parley.server.http.bodies.request_bodies import LookupBody, ResultBody
from parley.server.http.bodies.session_responses import Page, ReceiptRow
from parley.server.http.bodies.work_responses import FoundRow, KeptRow
from parley.server.http.identity.authorization import Reader, Speaker
from parley.server.http.problems.problem_details import Problem, problem_responses
from parley.server.http.requests.memory_reads import At, read_memory
from parley.server.http.requests.message_requests import IdempotencyKey, entry_id, receipt_response
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
