"""Notebooks."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Response

from parley.server.http.bodies.request_bodies import NoteBody, ShownBody
from parley.server.http.bodies.session_responses import Page, ReceiptRow
from parley.server.http.bodies.work_responses import NotePage, RevisionRow, UpdatePromptRow
from parley.server.http.identity.authorization import Caller, Reader, Speaker
from parley.server.http.problems.problem_details import Problem, problem_responses
from parley.server.http.requests.memory_reads import At
from parley.server.http.requests.message_requests import IdempotencyKey, entry_id, receipt_response
from parley.server.http.state.dependencies import DependenciesOf, SessionId
from parley.server.services import notes

router = APIRouter(tags=["notebooks"])

Owner = Annotated[str, Path(min_length=1, max_length=128, description="whose notebook")]

_READ: Final = problem_responses("no-session", "not-your-name", "not-yet", "refused")


def _check_owner(caller: Caller, name: str) -> None:
    """A notebook is its owner's; an operator may look into all."""
    if not caller.operator and name != caller.name:
        raise Problem("not-your-name", needs="operator")


# A name may hold slashes: what follows it is looked for before a name that goes on.
@router.get(
    "/v1/sessions/{session}/notebooks/{name:path}/history",
    response_model=Page[RevisionRow],
    responses=_READ,
)
async def list_revisions(
    session: SessionId, name: Owner, caller: Reader, deps: DependenciesOf
) -> Any:
    """Every revision and refusal, oldest first."""
    _check_owner(caller, name)
    return {
        "items": [
            asdict(revision) for revision in await notes.list_revisions(deps.backend, session, name)
        ]
    }


@router.post(
    "/v1/sessions/{session}/notebooks/{name:path}/prompt",
    response_model=UpdatePromptRow,
    responses=_READ,
)
async def ask_for_update(
    session: SessionId, name: Owner, body: ShownBody, caller: Reader, deps: DependenciesOf
) -> Any:
    """What to ask one's own model to rewrite a notebook in the light of `content`."""
    _check_owner(caller, name)
    return (await notes.ask_for_update(deps.backend, session, name, body.content))._asdict()


@router.get(
    "/v1/sessions/{session}/notebooks/{name:path}", response_model=NotePage, responses=_READ
)
async def get_notebook(
    session: SessionId, name: Owner, caller: Reader, deps: DependenciesOf, at: At = None
) -> Any:
    """A notebook as it stands, or stood; `base` is what a write on it names."""
    _check_owner(caller, name)
    return asdict(await notes.read_note(deps.backend, session, name, at))


@router.put(
    "/v1/sessions/{session}/notebooks/{name:path}",
    status_code=201,
    responses={
        **problem_responses(
            "no-session",
            "closed",
            "not-your-name",
            "conflict",
            "note-moved",
            "too-long",
            "refused",
            "busy",
        ),
        200: {"model": ReceiptRow, "description": "It stood there before"},
        201: {"model": ReceiptRow},
    },
)
async def write_notebook(
    session: SessionId, name: Owner, body: NoteBody, caller: Speaker, deps: DependenciesOf,
    key: IdempotencyKey = None,
) -> Response:  # fmt: skip
    """Put a text in the place of the revision that was read."""
    _check_owner(caller, name)
    own = entry_id(name, key)
    receipt = await notes.write_note(deps.backend, session, name, body.text, body.base, own)
    deps.channels.nudge(session)
    return receipt_response(receipt, own)
