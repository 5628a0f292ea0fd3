"""Lessons of other sessions."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from parley.server.http.bodies.request_bodies import LessonsBody
from parley.server.http.bodies.session_responses import Page
from parley.server.http.bodies.work_responses import ImportedRow, LessonRow
from parley.server.http.identity.authorization import Operator, Reader
from parley.server.http.problems.problem_details import problem_responses
from parley.server.http.requests.message_requests import json_response
from parley.server.http.state.dependencies import DependenciesOf, SessionId
from parley.server.services import lessons

router = APIRouter(tags=["lessons"])


@router.get(
    "/v1/sessions/{session}/lessons",
    response_model=Page[LessonRow],
    response_model_exclude_unset=True,
    responses=problem_responses("no-session"),
)
async def list_lessons(
    session: SessionId, caller: Reader, deps: DependenciesOf, teach: bool = False
) -> Any:
    """What the session learnt from others; with `teach`, what it could teach."""
    asked = lessons.list_teachable if teach else lessons.list_learnt
    return {"items": await asked(deps.backend, session)}


@router.post(
    "/v1/sessions/{session}/lessons",
    status_code=201,
    responses={
        **problem_responses("no-session", "closed", "refused", "busy"),
        200: {"model": ImportedRow, "description": "What would be learnt"},
        201: {"model": ImportedRow},
    },
)
async def import_lessons(
    session: SessionId, body: LessonsBody, caller: Operator, deps: DependenciesOf
) -> Response:
    """Have the session learn what another could teach; `dry_run` changes nothing."""
    brought = await lessons.learn_from_session(
        deps.backend, session, body.source, most=body.top, dry=body.dry_run, by=caller.name
    )
    deps.channels.nudge(session)
    tree = {"items": brought.rows, "known": brought.known}
    return json_response(tree, 200 if body.dry_run else 201)
