"""Goals, tasks, steps and episodes."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path

from parley.bus.contract.drafts import validate_entry
from parley.bus.entries import EpisodeClosed, Step
from parley.server.http.bodies.request_bodies import EndBody, EpisodeBody, GoalBody, StepBody
from parley.server.http.bodies.session_responses import Page
from parley.server.http.bodies.work_responses import GoalRow, StepRow
from parley.server.http.identity.authorization import Caller, Reader, Speaker
from parley.server.http.identity.token_grants import check_phase
from parley.server.http.problems.problem_details import problem_responses
from parley.server.http.requests.memory_reads import At, read_memory
from parley.server.http.requests.message_requests import IdempotencyKey, entry_id
from parley.server.http.state.dependencies import Dependencies, DependenciesOf, SessionId
from parley.server.rows.goal_rows import goal_rows
from parley.server.services import goals

router = APIRouter(tags=["work"])

Ref = Annotated[str, Path(pattern=r"^[Ee]?[1-9][0-9]{0,8}$", description="handle, such as E1")]

_CHANGES: Final = problem_responses(
    "no-session", "closed", "conflict", "not-your-name", "refused", "busy"
)
_changes = partial(
    router.post, status_code=201, response_model=GoalRow, response_model_exclude_unset=True,
    responses=_CHANGES,
)  # fmt: skip


@router.get(
    "/v1/sessions/{session}/goals",
    response_model=Page[GoalRow],
    response_model_exclude_unset=True,
    responses=problem_responses("no-session", "not-yet"),
)
async def list_goals(
    session: SessionId, caller: Reader, deps: DependenciesOf, at: At = None
) -> Any:
    """Goals, tasks and other episodes, what holds one before it."""
    return {"items": list(goal_rows(await read_memory(deps, session, at)))}


async def _begun(
    deps: Dependencies, session: str, caller: Caller, kind: str, body: GoalBody, key: str | None
) -> dict[str, Any]:
    by = caller.resolve_speaker(body.as_)
    entry = goals.draft_episode(kind, body.title, by=by, parent=body.parent, after=body.after)
    check_phase(await deps.backend.reader.current(session), caller, by, entry)
    row = await goals.open_episode(deps.backend, session, entry, entry_id(by, key))
    deps.channels.nudge(session)
    return row


async def _ended(
    deps: Dependencies, session: str, caller: Caller, ref: str, body: EndBody, key: str | None,
    kind: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    by = caller.resolve_speaker(body.as_)
    entry = validate_entry(EpisodeClosed, participant=by, re=goals.episode_handle(ref))
    check_phase(await deps.backend.reader.current(session), caller, by, entry)
    row = await goals.close_episode(
        deps.backend, session, ref, kind=kind, by=by, status=body.status, result=body.result,
        id=entry_id(by, key),
    )  # fmt: skip
    deps.channels.nudge(session)
    return row


@_changes("/v1/sessions/{session}/goals")
async def open_goal(
    session: SessionId,
    body: GoalBody,
    caller: Speaker,
    deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Any:
    """Open a goal."""
    return await _begun(deps, session, caller, "goal", body, key)


@_changes("/v1/sessions/{session}/goals/{ref}/close")
async def close_goal(
    session: SessionId,
    ref: Ref,
    body: EndBody,
    caller: Speaker,
    deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Any:
    """Close a goal, with what it came to."""
    return await _ended(deps, session, caller, ref, body, key, "goal")


@_changes("/v1/sessions/{session}/tasks")
async def open_task(
    session: SessionId,
    body: GoalBody,
    caller: Speaker,
    deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Any:
    """Open a task of a goal; it may wait for others."""
    return await _begun(deps, session, caller, "task", body, key)


@_changes("/v1/sessions/{session}/tasks/{ref}/close")
async def close_task(
    session: SessionId,
    ref: Ref,
    body: EndBody,
    caller: Speaker,
    deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Any:
    """Close a task, with what it came to."""
    return await _ended(deps, session, caller, ref, body, key, "task")


@router.post(
    "/v1/sessions/{session}/steps",
    status_code=201,
    response_model=StepRow,
    responses=_CHANGES,
)
async def record_step(
    session: SessionId,
    body: StepBody,
    caller: Speaker,
    deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Any:
    """Record a step of one's work on a goal or task that is open."""
    by = caller.resolve_speaker(body.as_)
    entry = validate_entry(
        Step, participant=by, form=body.form, content=body.content, ok=body.ok,
        episode=body.of and goals.episode_handle(body.of), discovered=body.discovered,
        confidence=body.confidence,
    )  # fmt: skip
    row = await goals.record_step(deps.backend, session, entry, entry_id(by, key))
    deps.channels.nudge(session)
    return row


@_changes("/v1/sessions/{session}/episodes")
async def open_episode(
    session: SessionId,
    body: EpisodeBody,
    caller: Speaker,
    deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Any:
    """Open an episode of any kind; a phase takes the capability for it."""
    return await _begun(deps, session, caller, body.kind, body, key)


@router.post(
    "/v1/sessions/{session}/episodes/{ref}/close",
    status_code=201,
    response_model=GoalRow,
    response_model_exclude_unset=True,
    responses=_CHANGES,
)
async def close_episode(
    session: SessionId,
    ref: Ref,
    body: EndBody,
    caller: Speaker,
    deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Any:
    """Close an episode of any kind and what is open in it; a phase takes the capability for it."""
    return await _ended(deps, session, caller, ref, body, key)
