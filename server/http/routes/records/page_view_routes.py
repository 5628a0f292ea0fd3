"""What the page shows: the board, and the timeline."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, Request, Response

from parley.memory.fold.canonical_bytes import checksum
from parley.server.http.bodies.page_responses import Board, InTheMaking, TimelineRow
from parley.server.http.identity.authorization import Reader
from parley.server.http.problems.problem_details import problem_responses
from parley.server.http.requests.memory_reads import (
    At,
    gzip_json,
    gzip_response,
)
from parley.server.http.requests.message_requests import json_response
from parley.server.http.state.dependencies import DependenciesOf, SessionId
from parley.server.queries.memory_queries import check_moment
from parley.server.queries.vote_ends import add_ends
from parley.server.rows.page_rows import page_row

router = APIRouter(tags=["memory"])

_SAME: Final[dict[int | str, dict[str, Any]]] = {
    304: {"description": "As the ETag in If-None-Match has it"}
}


@router.get(
    "/v1/sessions/{session}/view",
    responses={**problem_responses("no-session", "not-yet"), **_SAME, 200: {"model": Board}},
)
async def get_view(
    request: Request, session: SessionId, caller: Reader, deps: DependenciesOf, at: At = None
) -> Response:
    """The memory as slim rows for a page, now or as it was; cites come without their words."""
    info = await deps.backend.bus.info(session)
    check_moment(info, at)
    if at is not None and at < info.n:  # it will not change
        key = (session, info.incarnation, len(info.skips), at)
        body = deps.answer_cache.get(key)
        if body is None:
            body = gzip_json(page_row(await deps.moments.at(session, at)))
            deps.answer_cache.put(key, body)
        return gzip_response(request, body, f'"{info.incarnation}-{len(info.skips)}-{at}"')
    memory = await deps.backend.reader.current(session)
    shown = page_row(memory)
    await add_ends(deps.backend.bus, session, memory, shown["votes"])
    status = shown["status"] if info.status == "open" else info.status
    body = gzip_json({**shown, "status": status})
    return gzip_response(request, body, f'"{checksum(body)}"')


@router.get(
    "/v1/sessions/{session}/timeline",
    responses={
        **problem_responses("no-session"),
        **_SAME,
        200: {"model": TimelineRow},
        202: {"model": InTheMaking, "description": "It is being made; `done` per mille"},
    },
)
async def get_timeline(
    request: Request, session: SessionId, caller: Reader, deps: DependenciesOf
) -> Response:
    """The whole course of a session: figures, marks, stances. Ask again while it is made."""
    timeline = await deps.moments.timeline(session)
    if timeline.done < 1000:
        return json_response({"ready": False, "done": timeline.done}, 202)
    info = await deps.backend.bus.info(session)
    tree = {
        "n": timeline.n,
        "every": timeline.every,
        "series": timeline.series,
        "marks": [
            (mark.n, mark.kind, mark.ref, mark.participant, mark.text) for mark in timeline.marks
        ],
        "stances": timeline.stances,
        "thinned": timeline.thinned,
    }
    return gzip_response(request, gzip_json(tree), f'"{info.incarnation}-{timeline.seq}"')
