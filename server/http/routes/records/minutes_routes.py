"""The Brief of a session, and its minutes, as data or as a page to hand on."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, Response

from parley.server.http.bodies.memory_responses import Row
from parley.server.http.bodies.page_responses import BriefRow
from parley.server.http.identity.authorization import Reader
from parley.server.http.problems.problem_details import problem_responses
from parley.server.http.requests.brief_answer import read_brief
from parley.server.http.requests.memory_reads import At
from parley.server.http.requests.message_requests import json_response
from parley.server.http.requests.minutes_answer import Form, render_minutes
from parley.server.http.state.dependencies import DependenciesOf, SessionId

router = APIRouter(tags=["memory"])

_TYPES: Final[dict[str, str]] = {
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "text": "text/plain; charset=utf-8",
}
_ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    **problem_responses("no-session", "not-yet"),
    200: {
        "model": Row,
        "content": {
            "text/markdown": {"schema": {"type": "string"}},
            "text/html": {"schema": {"type": "string"}},
            "text/plain": {"schema": {"type": "string"}},
        },
    },
}


@router.get(
    "/v1/sessions/{session}/brief",
    response_model=BriefRow,
    responses=problem_responses("no-session", "not-yet"),
)
async def get_brief(
    session: SessionId, caller: Reader, deps: DependenciesOf, at: At = None
) -> Response:
    """What was decided, what is open, who does what by when, what waits for the caller."""
    reader = "" if caller.operator else caller.name
    return json_response(await read_brief(deps, session, at, reader))


@router.get("/v1/sessions/{session}/minutes", responses=_ANSWERS)
async def get_minutes(
    session: SessionId, caller: Reader, deps: DependenciesOf, at: At = None, format: Form = "json"
) -> Response:
    """What a session came to: decisions, open proposals, who moved, action candidates, evidence.

    Markdown, HTML and plain text come as a file.
    """
    body = await render_minutes(deps, session, at, format)
    headers = {}
    if format != "json":
        ending = "txt" if format == "text" else format
        headers["Content-Disposition"] = f'attachment; filename="minutes-{session}.{ending}"'
    return Response(body, headers=headers, media_type=_TYPES[format])
