"""Coming to the page: whether one may come in is told as an answer, whatever it is.

A browser writes every refusal of a request into its console. That somebody has no link yet,
that theirs was used, or that a session is not there, is nothing gone wrong.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel, Field
from starlette.requests import Request

from parley.bus.contract.errors import SessionNotFound
from parley.server.http.bodies.request_bodies import Body
from parley.server.http.identity.authorization import Caller, RequiresRight
from parley.server.http.identity.cookies import require_key, set_cookie
from parley.server.http.identity.credentials import (
    charge_address,
    credential_problem,
    redeem_ticket,
)
from parley.server.http.problems.problem_details import Problem, problem_responses
from parley.server.http.routes.access.auth_routes import Me, identity_row
from parley.server.http.state.dependencies import Dependencies, DependenciesOf, SessionId
from parley.server.http.tokens.bearer_tokens import EVERY_SESSION
from parley.server.http.tokens.callers import caller_from_claims

router = APIRouter(prefix="/v1", tags=["identity"])

Anybody = Annotated[Caller, Depends(RequiresRight("public"))]
KeptOut = Literal["token-missing", "token-invalid", "token-expired", "other-session", "no-session"]


class Visit(Body):
    """`ticket` is used up, and its identity kept in a cookie as by `POST /v1/login`."""

    ticket: str | None = Field(None, min_length=1, max_length=4096, examples=["eyJhbGciOi…"])


class Visitor(BaseModel):
    """Who one is, and what keeps one out: the slug of the problem that a request would meet.

    `ticket` tells whether the one that was brought is good; null where none was.
    """

    me: Me | None
    kept_out: KeptOut | None
    ticket: bool | None


@router.post("/visit", operation_id="visit", responses=problem_responses())
async def visit(
    body: Visit, request: Request, response: Response, deps: DependenciesOf, caller: Anybody
) -> Visitor:
    """Come to the page. To be nobody is no fault: the answer says so."""
    return await _let_in(body, request, response, deps, caller)


@router.post(
    "/sessions/{session}/visit", operation_id="visit_session", responses=problem_responses()
)
async def visit_session(
    session: SessionId, body: Visit, request: Request, response: Response, deps: DependenciesOf,
    caller: Anybody,
) -> Visitor:  # fmt: skip
    """Come to a session's page. Whether it is there is told only to those who may see it."""
    visitor = await _let_in(body, request, response, deps, caller)
    if visitor.me is None:
        return visitor
    if not visitor.me.operator and visitor.me.session not in (EVERY_SESSION, session):
        return visitor.model_copy(update={"kept_out": "other-session"})
    try:
        await deps.backend.bus.info(session)
    except SessionNotFound:
        return visitor.model_copy(update={"kept_out": "no-session"})
    return visitor


async def _let_in(
    body: Visit, request: Request, response: Response, deps: Dependencies, caller: Caller
) -> Visitor:
    """Who comes, after the ticket that they bring."""
    if body.ticket is None:
        return _visitor(caller, credential_problem(request), None)
    require_key(request)
    try:
        claims = await redeem_ticket(deps, body.ticket)
    except Problem as problem:
        charge_address(deps, request, "login")
        return _visitor(caller, problem, False)
    set_cookie(response, request, deps, claims, beside=caller.operator)
    visitor = caller_from_claims(claims)
    if caller.operator and not visitor.operator:
        visitor = replace(visitor, operator=True)
    return _visitor(visitor, None, True)


def _visitor(caller: Caller, fault: Problem | None, ticket: bool | None) -> Visitor:
    if caller.jti or fault is None:
        return Visitor(me=identity_row(caller), kept_out=None, ticket=ticket)
    return Visitor.model_validate({"me": None, "kept_out": fault.slug, "ticket": ticket})
