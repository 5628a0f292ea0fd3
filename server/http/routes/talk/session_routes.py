"""Sessions: open, list, close, remove, export, import, verify, fork, run."""

from __future__ import annotations

from contextlib import suppress
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated, Any, Final

from anyio import to_thread
from fastapi import APIRouter, Depends, Query, Request, Response

from parley.bus.connection.event_log import EventLog
from parley.bus.contract.errors import SessionNotFound
from parley.bus.sessions.copies import fill_gaps
from parley.bus.sessions.session_file import SessionFile, decode_file, encode_file
from parley.listeners.sessions.file_checks import check_packs
from parley.memory.arbitration.session_end import sum_up_session
from parley.server.http.bodies.request_bodies import CloseBody, ForkBody, RunBody, SessionBody
from parley.server.http.bodies.session_responses import (
    Page,
    Running,
    SessionRow,
    SessionState,
    VerifiedRow,
)
from parley.server.http.identity.authorization import (
    AnyToken,
    Caller,
    Operator,
    Reader,
    RequiresRight,
)
from parley.server.http.problems.problem_details import Problem, problem_responses
from parley.server.http.requests.message_requests import moderator_name
from parley.server.http.requests.scenario_runs import start_run, stop_run
from parley.server.http.requests.session_requests import opening_of, prepare_scenario
from parley.server.http.requests.session_states import session_rows, session_state
from parley.server.http.state.dependencies import Dependencies, DependenciesOf, SessionId
from parley.server.http.tokens.bearer_tokens import EVERY_SESSION
from parley.server.records import session_file
from parley.server.records.verification import verify_session as verify_session_log
from parley.server.scenarios.session_setup import opening_drafts
from parley.server.services import sessions

_SPOOLED: Final = 4 << 20  # bytes of a file that are held in memory while it comes
RETRY_SECONDS: Final = 5.0  # of a verification: a long log takes some
_AT_IT: Final = "A session is being verified; ask again in a moment."

router = APIRouter(tags=["sessions"])
_logger = EventLog(__name__)


@router.post(
    "/v1/sessions",
    status_code=201,
    response_model=SessionState,
    responses=problem_responses("exists", "refused", "busy"),
)
async def open_session(
    request: Request, body: SessionBody, caller: Operator, deps: DependenciesOf
) -> Any:
    """Open a session: empty, or as a scenario has it, and have that played here."""
    cast = None if body.scenario is None else prepare_scenario(deps, body.scenario)
    entry = opening_of(deps, body, cast)

    async def opening() -> None:
        await deps.backend.bus.open(body.session, entry)
        if cast is not None:
            await deps.backend.bus.publish(body.session, opening_drafts(cast))

    if cast is None or body.run == "no":
        await opening()
    else:
        offline = body.run == "script"
        await start_run(
            request.app, deps, body.session, cast.name, offline=offline, opening=opening
        )
    return await session_state(deps, body.session)


@router.get("/v1/sessions", response_model=Page[SessionRow], responses=problem_responses())
async def list_sessions(
    caller: AnyToken, deps: DependenciesOf,
    offset: Annotated[int, Query(ge=0, le=100_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500, description="rows at most")] = 100,
    status: Annotated[str | None, Query(min_length=1, max_length=32)] = None,
) -> Any:  # fmt: skip
    """Sessions, newest activity first; of a token for one session, that one.

    `next` is the next `offset`. A page that `status` thins out may be short of `limit`.
    """
    bus = deps.backend.bus
    if caller.session != EVERY_SESSION and not caller.operator:
        infos, end = [], None
        with suppress(SessionNotFound):  # a token may be made before its session is
            infos = [] if offset else [await sessions.read_session_state(bus, caller.session)]
    else:
        infos = await sessions.list_sessions(bus, offset, limit)
        end = offset + limit if len(infos) == limit else None
    asked = [info for info in infos if status in (None, info["status"])]
    return {"items": await session_rows(deps, asked), "next": end}


@router.get(
    "/v1/sessions/{session}", response_model=SessionState, responses=problem_responses("no-session")
)
async def get_session(session: SessionId, caller: Reader, deps: DependenciesOf) -> Any:
    """Where a session stands, and what it is about."""
    return await session_state(deps, session)


@router.post(
    "/v1/sessions/{session}/close",
    response_model=SessionState,
    responses=problem_responses("no-session", "closed", "not-your-name", "busy"),
)
async def close_session(
    session: SessionId, deps: DependenciesOf,
    caller: Annotated[Caller, Depends(RequiresRight("close"))],
    body: CloseBody | None = None,
) -> Any:  # fmt: skip
    """End a session: it takes no more. The body, with a reason, may be left out."""
    body = body or CloseBody()
    memory = await deps.backend.reader.current(session)
    by = moderator_name(memory, caller, body.as_, "close") or caller.name
    await deps.backend.bus.close(session, body.reason, by, totals=sum_up_session(memory))
    deps.channels.nudge(session)
    return await session_state(deps, session)


@router.delete("/v1/sessions/{session}", status_code=204, responses=problem_responses("no-session"))
async def remove_session(
    request: Request, session: SessionId, caller: Operator, deps: DependenciesOf
) -> Response:
    """Remove a session with all that belongs to it; what is played there ends."""
    await deps.backend.bus.info(session)
    await stop_run(request.app, session)
    await sessions.remove_session(deps.backend.bus, session)
    _forget(deps, session)
    await deps.channels.wait_removed(session)
    return Response(status_code=204)


def _forget(deps: Dependencies, session: str) -> None:
    """What is kept of a log that was replaced or removed is of no use any more."""
    deps.backend.reader.forget(session)
    deps.moments.forget(session)
    deps.channels.nudge(session)


@router.get(
    "/v1/sessions/{session}/export",
    response_class=Response,
    responses={
        **problem_responses("no-session"),
        200: {"content": {"application/json": {"schema": {"type": "object"}}},
              "description": "A session file"},
    },
)  # fmt: skip
async def export_session(
    session: SessionId, caller: Operator, deps: DependenciesOf,
    partial: Annotated[bool, Query(description="where entries are missing, the others")] = False,
) -> Response:  # fmt: skip
    """The session as a file that can be imported again."""
    file = await session_file.export_session(deps.backend.bus, session, partial=partial)
    data = await to_thread.run_sync(encode_file, file, abandon_on_cancel=True)
    headers = {"Content-Disposition": f'attachment; filename="{session}.session.json"'}
    return Response(data, headers=headers, media_type="application/json")


@router.put(
    "/v1/sessions/{session}/import",
    status_code=201,
    response_model=SessionState,
    responses=problem_responses("exists", "bad-file", "refused"),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"type": "object"}}},
        }
    },
)
async def import_session(
    request: Request, session: SessionId, caller: Operator, deps: DependenciesOf,
    replace: Annotated[bool, Query(description="put it in place of one that is there")] = False,
    partial: Annotated[bool, Query(description="also a file that lacks entries")] = False,
) -> Any:  # fmt: skip
    """Put a session file in place under this name; what is played in one replaced ends."""
    with SpooledTemporaryFile(_SPOOLED) as spool:
        async for chunk in request.stream():
            await to_thread.run_sync(spool.write, chunk)
        spool.seek(0)
        async with deps.import_lock:
            file = await to_thread.run_sync(_file, spool, partial)
            await check_packs(file.rows, deps.backend.packs.known)
            if replace:
                await stop_run(request.app, session)
            await session_file.restore_session(deps.backend.bus, session, file, replace=replace)
    _forget(deps, session)
    return await session_state(deps, session)


def _file(spool: IO[bytes], partial: bool) -> SessionFile:
    """The file that came whole, what it lacks set aside. Raises `BadSessionFile`."""
    file = decode_file(spool.read(), partial=partial)
    if file.missing:
        file = fill_gaps(file)
    session_file.check_whole(file)
    return file


@router.get(
    "/v1/sessions/{session}/verify",
    response_model=VerifiedRow,
    responses=problem_responses("no-session", "busy"),
)
async def verify_session(session: SessionId, caller: Operator, deps: DependenciesOf) -> Any:
    """Whether the log is whole, and memory is what it comes to. One at a time in a server."""
    if deps.verify_lock.locked():
        raise Problem("busy", retry_after=RETRY_SECONDS, detail=_AT_IT)
    async with deps.verify_lock:
        verification = await verify_session_log(deps.backend, session)
    return {"sound": not verification, "findings": verification}


@router.post(
    "/v1/sessions/{session}/fork",
    status_code=201,
    response_model=SessionState,
    responses=problem_responses("no-session", "exists", "not-yet", "refused"),
)
async def fork_session(
    session: SessionId, body: ForkBody, caller: Operator, deps: DependenciesOf
) -> Any:
    """Open another session with the past of this one, up to a moment."""
    await sessions.fork_session(deps.backend.bus, session, body.session, body.at)
    return await session_state(deps, body.session)


@router.post(
    "/v1/sessions/{session}/run",
    status_code=202,
    response_model=Running,
    responses=problem_responses("no-session", "closed", "exists", "refused", "busy"),
)
async def run_scenario(
    request: Request, session: SessionId, body: RunBody, caller: Operator, deps: DependenciesOf
) -> Any:
    """Play a bundled scenario in a session that was opened with it."""
    cast = prepare_scenario(deps, body.scenario)
    await start_run(request.app, deps, session, cast.name, offline=body.offline)
    return {"running": True}
