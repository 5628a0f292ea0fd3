"""Logging in, tokens and tickets."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel, Field
from starlette.requests import Request

from parley.server.http.bodies.request_bodies import Body
from parley.server.http.identity.authorization import (
    AnyToken,
    Caller,
    Operator,
    Reader,
    RequiresRight,
)
from parley.server.http.identity.cookies import clear_cookies, require_key, set_cookie
from parley.server.http.identity.credentials import charge_address
from parley.server.http.problems.problem_details import Problem, problem_responses
from parley.server.http.state.dependencies import SESSION_PATTERN, DependenciesOf, SessionId
from parley.server.http.tokens.bearer_tokens import EVERY_SESSION, Claims, Role, build_claims
from parley.server.http.tokens.callers import caller_from_claims
from parley.server.http.tokens.tickets import LINK_SECONDS, SECONDS, ticket_url_path

router = APIRouter(prefix="/v1", tags=["identity"])

_HOURS = 12
_MOST_HOURS = 2160  # 90 days


class Login(Body):
    ticket: str = Field(min_length=1, max_length=4096, examples=["eyJhbGciOi…"])


class TokenWish(Body):
    """Whose token, for which session, and what it may do."""

    name: str = Field(min_length=1, max_length=128, examples=["Ana"])
    session: str = Field(EVERY_SESSION, max_length=64, description="an id, or `*` for all")
    role: Role = "person"
    may: list[str] | None = Field(None, max_length=32, description="acts and capabilities")
    hours: float = Field(_HOURS, gt=0, le=_MOST_HOURS)


class TicketWish(Body):
    """Without a name, a ticket to one's own identity; an operator makes others', too."""

    name: str | None = Field(None, min_length=1, max_length=128, examples=["Ana"])
    session: str = Field(EVERY_SESSION, max_length=64, description="an id, or `*` for all")
    role: Role = "person"
    may: list[str] | None = Field(None, max_length=32, description="acts and capabilities")
    hours: float = Field(_HOURS, gt=0, le=_MOST_HOURS, description="of what comes of the ticket")


class Me(BaseModel):
    """Who one is. `operator` may stand beside the name of a participant."""

    name: str
    role: Role
    session: str
    may: list[str] | None
    expires: int
    operator: bool


class Token(BaseModel):
    token: str
    expires: int


class Ticket(BaseModel):
    """`path` opens the page with it, once, until `expires`."""

    ticket: str
    expires: int
    path: str


@router.post("/login", operation_id="log_in", responses=problem_responses())
async def log_in(
    body: Login,
    request: Request,
    response: Response,
    deps: DependenciesOf,
    caller: Annotated[Caller, Depends(RequiresRight("public"))],
) -> Me:
    """Use a ticket: its identity is kept in a cookie, which counts beside the header Parley-Key.

    A participant of one session is kept for that session; an operator stays one beside it.
    """
    require_key(request)
    try:
        claims = await deps.tickets.redeem(body.ticket, deps.backend.bus)
    except Problem:
        charge_address(deps, request, "login")
        raise
    set_cookie(response, request, deps, claims, beside=caller.operator)
    return identity_row(caller_from_claims(claims))


@router.post("/logout", operation_id="log_out", status_code=204, responses=problem_responses())
async def log_out(
    caller: AnyToken,
    response: Response,
    session: Annotated[
        str | None,
        Query(pattern=SESSION_PATTERN, description="leave only one's name in that session"),
    ] = None,
) -> None:
    """Forget the cookies. The token in them holds until it expires."""
    clear_cookies(response, session)


@router.get("/me", operation_id="read_me", responses=problem_responses())
async def read_me(caller: AnyToken) -> Me:
    """Who the token says one is."""
    return identity_row(caller)


@router.get(
    "/sessions/{session}/me",
    operation_id="read_me_in_session",
    responses=problem_responses("no-session"),
)
async def read_me_in_session(session: SessionId, caller: Reader) -> Me:
    """Who one is in this session: a name kept for it outranks the page's."""
    return identity_row(caller)


@router.post(
    "/tokens", operation_id="make_token", status_code=201, responses=problem_responses("refused")
)
async def make_token(body: TokenWish, deps: DependenciesOf, caller: Operator) -> Token:
    """A signed token for somebody."""
    made = _wished(body, deps.clock())
    return Token(token=deps.keyring.sign(made), expires=made.expires)


@router.post(
    "/tickets", operation_id="make_ticket", status_code=201, responses=problem_responses("refused")
)
async def make_ticket(body: TicketWish, deps: DependenciesOf, caller: AnyToken) -> Ticket:
    """A ticket for one use: one's own for a minute, or an operator's for somebody else."""
    now = deps.clock()
    if body.name is None:
        if body.model_fields_set:
            raise Problem("invalid", field="name", fault="missing")
        made, seconds = _own(caller, now), SECONDS
    elif not caller.operator:
        raise Problem("forbidden", needs="operator")
    else:
        made, seconds = _wished(body, now), LINK_SECONDS
    ticket = deps.tickets.issue(made, seconds)
    expires = min(int(now + seconds), made.expires)
    return Ticket(ticket=ticket, expires=expires, path=ticket_url_path(made, ticket))


def _wished(body: Any, now: float) -> Claims:
    return build_claims(
        body.name, body.role, body.session, now, may=body.may, seconds=max(1.0, body.hours * 3600)
    )


def _own(caller: Caller, now: float) -> Claims:
    return Claims(
        caller.name, caller.role, caller.session, int(now), caller.expires, caller.jti, caller.may
    )


def identity_row(caller: Caller) -> Me:
    """The caller, as they are told who they are."""
    return Me(
        name=caller.name, role=caller.role, session=caller.session,
        may=None if caller.may is None else list(caller.may),
        expires=caller.expires, operator=caller.operator,
    )  # fmt: skip
