"""Logging in, tokens and tickets."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response
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
from parley.server.http.identity.credentials import charge_address, redeem_ticket
from parley.server.http.problems.problem_details import Problem, problem_responses
from parley.server.http.state.dependencies import (
    SESSION_PATTERN,
    Dependencies,
    DependenciesOf,
    SessionId,
)
from parley.server.http.tokens.bearer_tokens import (
    EVERY_SESSION,
    LONGEST_SECONDS,
    TOKEN_ID,
    Claims,
    Role,
    build_claims,
)
from parley.server.http.tokens.bound_claims import bind_claims
from parley.server.http.tokens.callers import caller_from_claims
from parley.server.http.tokens.tickets import LINK_SECONDS, SECONDS, ticket_url_path

TokenId = Annotated[str, Path(pattern=f"^{TOKEN_ID.pattern}$", description="id of the token")]

router = APIRouter(prefix="/v1", tags=["identity"])

_HOURS = 12
_MOST_HOURS = 2160  # 90 days
_FORCE = "without a look at the session: also for one to come, or a name that looks like another's"
_CURE = "'force' makes it all the same"


class Login(Body):
    ticket: str = Field(min_length=1, max_length=4096, examples=["eyJhbGciOi…"])


class TokenWish(Body):
    """Whose token, for which session, and what it may do."""

    name: str = Field(min_length=1, max_length=128, examples=["Ana"])
    session: str = Field(EVERY_SESSION, max_length=64, description="an id, or `*` for all")
    role: Role = "person"
    may: list[str] | None = Field(None, max_length=32, description="acts and capabilities")
    hours: float = Field(_HOURS, gt=0, le=_MOST_HOURS)
    force: bool = Field(False, description=_FORCE)


class TicketWish(Body):
    """Without a name, a ticket to one's own identity; an operator makes others', too."""

    name: str | None = Field(None, min_length=1, max_length=128, examples=["Ana"])
    session: str = Field(EVERY_SESSION, max_length=64, description="an id, or `*` for all")
    role: Role = "person"
    may: list[str] | None = Field(None, max_length=32, description="acts and capabilities")
    hours: float = Field(_HOURS, gt=0, le=_MOST_HOURS, description="of what comes of the ticket")
    force: bool = Field(False, description=_FORCE)


class Me(BaseModel):
    """Who one is. `operator` may stand beside the name of a participant."""

    name: str
    role: Role
    session: str
    may: list[str] | None
    expires: int
    operator: bool


class Token(BaseModel):
    """`id` is what revokes it, and what comes of it."""

    token: str
    id: str
    expires: int


class RevokedToken(BaseModel):
    """`until` is when it would have expired."""

    id: str
    until: int


class RevokedTokens(BaseModel):
    items: list[RevokedToken]


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
        claims = await redeem_ticket(deps, body.ticket)
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
    "/tokens",
    operation_id="make_token",
    status_code=201,
    responses=problem_responses("refused", "no-session"),
)
async def make_token(body: TokenWish, deps: DependenciesOf, caller: Operator) -> Token:
    """A signed token for somebody."""
    made = await _wished(body, deps)
    return Token(token=deps.keyring.sign(made), id=made.jti, expires=made.expires)


@router.get("/tokens/revoked", operation_id="list_revoked_tokens", responses=problem_responses())
async def list_revoked_tokens(deps: DependenciesOf, caller: Operator) -> RevokedTokens:
    """The tokens that were revoked and would hold yet."""
    rows = sorted((await deps.backend.bus.revoked_tokens()).items())
    return RevokedTokens(items=[RevokedToken(id=each, until=until) for each, until in rows])


@router.delete(
    "/tokens/{id}", operation_id="revoke_token", status_code=204, responses=problem_responses()
)
async def revoke_token(id: TokenId, deps: DependenciesOf, caller: Operator) -> None:
    """Have a token, and the cookies and tickets that came of it, count no more.

    Every server on this Redis refuses it a second later at most, and ends its streams.
    """
    await deps.backend.bus.revoke_token(id, int(deps.clock()) + LONGEST_SECONDS)
    await deps.revocations.refresh(at_once=True)


@router.post(
    "/tickets",
    operation_id="make_ticket",
    status_code=201,
    responses=problem_responses("refused", "no-session"),
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
        made, seconds = await _wished(body, deps), LINK_SECONDS
    ticket = deps.tickets.issue(made, seconds)
    expires = min(int(now + seconds), made.expires)
    return Ticket(ticket=ticket, expires=expires, path=ticket_url_path(made, ticket))


async def _wished(body: TokenWish | TicketWish, deps: Dependencies) -> Claims:
    made = build_claims(
        body.name or "", body.role, body.session, deps.clock(), may=body.may,
        seconds=max(1.0, body.hours * 3600),
    )  # fmt: skip
    return made if body.force else await bind_claims(deps.backend, made, _CURE)


def _own(caller: Caller, now: float) -> Claims:
    return Claims(
        caller.name, caller.role, caller.session, int(now), caller.expires, caller.jti, caller.may,
        log=caller.log,
    )  # fmt: skip


def identity_row(caller: Caller) -> Me:
    """The caller, as they are told who they are."""
    return Me(
        name=caller.name, role=caller.role, session=caller.session,
        may=None if caller.may is None else list(caller.may),
        expires=caller.expires, operator=caller.operator,
    )  # fmt: skip
