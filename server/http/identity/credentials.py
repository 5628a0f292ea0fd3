"""How a caller shows who it is: by a header, by cookies and their key, by a socket's ticket."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from dataclasses import replace
from functools import lru_cache
from typing import Final

from starlette.requests import HTTPConnection

from parley.server.http.problems.problem_details import Problem
from parley.server.http.state.dependencies import Dependencies, dependencies_of_app
from parley.server.http.state.rate_limits import Kind
from parley.server.http.tokens.bearer_tokens import Claims
from parley.server.http.tokens.callers import NOBODY, Caller, caller_from_claims

_OF_ONE: Final = 64  # bits of an address of IPv6 that its network has: one sender's
_ADDRESSES_KEPT: Final = 4096  # addresses whose networks are remembered
COOKIE: Final = "parley"
SEAT_COOKIE: Final = "parley_seat"
KEY_HEADER: Final = "Parley-Key"
KEY_QUERY: Final = "key"  # of an EventSource or a WebSocket, which sends no header

_NO_KEY: Final = f"A cookie counts beside the key that it was made for: send it as {KEY_HEADER}."


async def identify_caller(connection: HTTPConnection) -> Caller:
    """The caller by header, cookie or a WebSocket's ticket. Raises `Problem` `token-…`."""
    known = getattr(connection.state, "caller", None)
    if known is None:
        known = connection.state.caller = await _find_caller(
            connection, dependencies_of_app(connection)
        )
    return known


def client_address(connection: HTTPConnection) -> str:
    """Where a request is from, as far as the server's proxies are believed."""
    return connection.client.host if connection.client else ""


@lru_cache(maxsize=_ADDRESSES_KEPT)
def network_of(host: str) -> str:
    """Whose address `host` is: itself, or of IPv6 the network of which one sender has all."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address) or address.ipv4_mapped is not None:
        return host
    return str(ipaddress.IPv6Network((int(address), _OF_ONE), strict=False))


def charge_rate(deps: Dependencies, caller: Caller, kind: Kind, cost: int = 1) -> None:
    """Take `cost` of the caller's rate. Raises `Problem` `rate`.

    `Needs` takes 1 a request; a batch takes the rest of its entries, a socket each publish.
    """
    wait = deps.rate_limits.take(caller.jti, kind, cost, operator=caller.operator)
    if wait:
        raise Problem("rate", retry_after=wait)


async def _find_caller(connection: HTTPConnection, deps: Dependencies) -> Caller:
    """By header before all; a socket's ticket, since it was asked for, before cookies."""
    try:
        if (header := connection.headers.get("authorization")) is not None:
            scheme, _, token = header.partition(" ")
            if scheme.lower() != "bearer":
                raise Problem("token-invalid")
            return _verified(deps, token)
        if connection.scope["type"] == "websocket" and "ticket" in connection.query_params:
            claims = await redeem_ticket(deps, connection.query_params["ticket"])
            return caller_from_claims(claims)
        if COOKIE in connection.cookies or SEAT_COOKIE in connection.cookies:
            connection.state.by_cookie = True
            return _by_cookies(connection, deps)
    except Problem:
        charge_address(deps, connection, "login")
        raise
    charge_address(deps, connection, "nobody")
    raise Problem("token-missing")


def _verified(deps: Dependencies, token: str) -> Caller:
    """The caller by a bearer token. Raises `Problem` `token-…`."""
    claims = deps.keyring.verify(token.strip(), deps.clock())
    deps.revocations.check(claims.jti)
    return caller_from_claims(claims)


async def redeem_ticket(deps: Dependencies, ticket: str) -> Claims:
    """What `Tickets.redeem` gives, unless the token that asked for it was revoked since."""
    await deps.revocations.refresh()
    claims = await deps.tickets.redeem(ticket, deps.backend.bus)
    deps.revocations.check(claims.jti)
    await deps.revocations.check_log(caller_from_claims(claims))
    return claims


def _by_cookies(connection: HTTPConnection, deps: Dependencies) -> Caller:
    """The seat's, which an operator's may stand beside; of two that fail, the page's says why."""
    key = hash_key(key_of(connection))
    failed: list[Problem] = []
    callers: dict[str, Caller] = {}
    for cookie in (COOKIE, SEAT_COOKIE):
        if cookie in connection.cookies:
            try:
                claims = deps.keyring.verify(
                    connection.cookies[cookie], deps.clock(), "parley-page"
                )
                if not hmac.compare_digest(claims.key or "", key):
                    raise Problem("token-missing", detail=_NO_KEY)
                deps.revocations.check(claims.jti)
                callers[cookie] = caller_from_claims(claims)
            except Problem as problem:
                failed.append(problem)
    page, seat = callers.get(COOKIE), callers.get(SEAT_COOKIE)
    if seat is not None and page is not None and page.operator:
        return replace(seat, operator=True, session=page.session, jti=page.jti, log=None)
    if seat is None and page is None:
        raise failed[0]
    return seat or page or NOBODY


def key_of(connection: HTTPConnection) -> str:
    """The key that the request brings for its cookies, else ""."""
    return connection.headers.get(KEY_HEADER) or connection.query_params.get(KEY_QUERY, "")


def hash_key(key: str) -> str:
    """What a cookie says of its key."""
    return hashlib.sha256(key.encode()).hexdigest()


def charge_address(deps: Dependencies, connection: HTTPConnection, kind: Kind) -> None:
    """Whoever comes without a good token is counted by where they come from."""
    if wait := deps.rate_limits.take(network_of(client_address(connection)), kind):
        raise Problem("rate", retry_after=wait)


def caller_or_anonymous(connection: HTTPConnection, deps: Dependencies) -> Caller:
    """The caller where there is one; what is public is shown with a bad token too."""
    try:
        caller = _quietly(connection, deps)
    except Problem:
        caller = NOBODY
    if caller.jti:
        charge_rate(deps, caller, "read")
    elif wait := deps.rate_limits.take(network_of(client_address(connection)), "read"):
        raise Problem("rate", retry_after=wait)
    return caller


def credential_problem(connection: HTTPConnection) -> Problem | None:
    """Why nobody knows the caller; None where it brings a good token."""
    try:
        known_caller(connection)
    except Problem as problem:
        return problem
    return None


def known_caller(connection: HTTPConnection) -> Caller:
    """The caller by its token, without a charge. Raises `Problem` `token-…`."""
    caller = _quietly(connection, dependencies_of_app(connection))
    if not caller.jti:
        raise Problem("token-missing")
    return caller


def _quietly(connection: HTTPConnection, deps: Dependencies) -> Caller:
    """By cookies or header, without a word about tokens that fail."""
    header = connection.headers.get("authorization", "")
    if header.lower().startswith("bearer "):
        return _verified(deps, header[7:])
    if COOKIE in connection.cookies or SEAT_COOKIE in connection.cookies:
        return _by_cookies(connection, deps)
    return NOBODY
