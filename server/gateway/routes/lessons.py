"""Lessons of other sessions."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from parley.server.gateway.doors import DoorsOf, SessionId
from parley.server.gateway.identity.needs import Operator, Reader
from parley.server.gateway.problems.table import problems
from parley.server.gateway.shapes.bodies import LessonsBody
from parley.server.gateway.shapes.work import ImportedRow, LessonRow
from parley.server.gateway.shapes.written import Page
from parley.server.gateway.speaking import as_json
from parley.server.services import lessons

router = APIRouter()


@router.get(
    "/v1/sessions/{session}/lessons",
    response_model=Page[LessonRow],
    response_model_exclude_unset=True,
    responses=problems("no-session"),
)
async def list_lessons(
    session: SessionId, caller: Reader, doors: DoorsOf, teach: bool = False
) -> Any:
    """What the session learnt from others; with `teach`, what it could teach."""
    asked = lessons.taught_in if teach else lessons.learnt_in
    return {"items": await asked(doors.held, session)}


@router.post(
    "/v1/sessions/{session}/lessons",
    status_code=201,
    responses={
        **problems("no-session", "closed", "refused", "busy"),
        200: {"model": ImportedRow, "description": "What would be learnt"},
        201: {"model": ImportedRow},
    },
)
async def import_lessons(
    session: SessionId, body: LessonsBody, caller: Operator, doors: DoorsOf
) -> Response:
    """Have the session learn what another could teach; `dry_run` changes nothing."""
    brought = await lessons.brought_in(
        doors.held, session, body.source, most=body.top, dry=body.dry_run, by=caller.name
    )
    doors.rooms.nudge(session)
    tree = {"items": brought.rows, "known": brought.known}
    return as_json(tree, 200 if body.dry_run else 201)
