"""How a caller shows who it is: by a header, by cookies, by a socket's ticket."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from starlette.requests import HTTPConnection

from server.gateway.buckets import Kind
from server.gateway.callers import NOBODY, Caller, caller_of
from server.gateway.problems import Problem

if TYPE_CHECKING:  # which has seats, which have callers
    from server.gateway.doors import Doors

COOKIE: Final = "parley"
SEAT_COOKIE: Final = "parley_seat"


def doors_behind(connection: HTTPConnection) -> Doors:
    return cast("Doors", connection.app.state.doors)


async def who(connection: HTTPConnection) -> Caller:
    """The caller by header, cookie or a WebSocket's ticket. Raises `Problem` `token-…`."""
    known = getattr(connection.state, "caller", None)
    if known is None:
        known = connection.state.caller = _found(connection, doors_behind(connection))
    return known


def address(connection: HTTPConnection) -> str:
    """Where a request is from, as far as the server's proxies are believed."""
    return connection.client.host if connection.client else ""


def charge(doors: Doors, caller: Caller, kind: Kind, cost: int = 1) -> None:
    """Take `cost` of the caller's rate. Raises `Problem` `rate`.

    `Needs` takes 1 a request; a batch takes the rest of its entries, a socket each publish.
    """
    wait = doors.buckets.take(caller.jti, kind, cost, operator=caller.operator)
    if wait:
        raise Problem("rate", retry_after=wait)


def _found(connection: HTTPConnection, doors: Doors) -> Caller:
    """By header before all; a socket's ticket, since it was asked for, before cookies."""
    try:
        if (said := connection.headers.get("authorization")) is not None:
            scheme, _, token = said.partition(" ")
            if scheme.lower() != "bearer":
                raise Problem("token-invalid")
            return caller_of(doors.keyring.verify(token.strip(), doors.clock()))
        if connection.scope["type"] == "websocket" and "ticket" in connection.query_params:
            return caller_of(doors.tickets.used(connection.query_params["ticket"]))
        if COOKIE in connection.cookies or SEAT_COOKIE in connection.cookies:
            connection.state.by_cookie = True
            return _by_cookies(connection, doors)
    except Problem:
        slow_down(doors, connection, "login")
        raise
    slow_down(doors, connection, "nobody")
    raise Problem("token-missing")


def _by_cookies(connection: HTTPConnection, doors: Doors) -> Caller:
    """The seat's, which an operator's may stand beside; of two that fail, the page's says why."""
    failed: list[Problem] = []
    callers: dict[str, Caller] = {}
    for cookie in (COOKIE, SEAT_COOKIE):
        if cookie in connection.cookies:
            try:
                found = doors.keyring.verify(connection.cookies[cookie], doors.clock())
                callers[cookie] = caller_of(found)
            except Problem as problem:
                failed.append(problem)
    page, seat = callers.get(COOKIE), callers.get(SEAT_COOKIE)
    if seat is not None and page is not None and page.operator:
        return replace(seat, operator=True, session=page.session, jti=page.jti)
    if seat is None and page is None:
        raise failed[0]
    return seat or page or NOBODY


def slow_down(doors: Doors, connection: HTTPConnection, kind: Kind) -> None:
    """Whoever comes without a good token is counted by where they come from."""
    if wait := doors.buckets.take(address(connection), kind):
        raise Problem("rate", retry_after=wait)


def anybody(connection: HTTPConnection, doors: Doors) -> Caller:
    """The caller where there is one; what is public is shown with a bad token too."""
    try:
        caller = _quietly(connection, doors)
    except Problem:
        caller = NOBODY
    if caller.jti:
        charge(doors, caller, "read")
    elif wait := doors.buckets.take(address(connection), "read"):
        raise Problem("rate", retry_after=wait)
    return caller


def nobody(connection: HTTPConnection, doors: Doors) -> str:
    """Why somebody is nobody here, as the slug of a problem; empty of whoever is somebody."""
    try:
        caller = _quietly(connection, doors)
    except Problem as problem:
        return problem.slug
    return "" if caller.jti else "token-missing"


def _quietly(connection: HTTPConnection, doors: Doors) -> Caller:
    """By cookies or header, without a word about tokens that fail."""
    said = connection.headers.get("authorization", "")
    if said.lower().startswith("bearer "):
        return caller_of(doors.keyring.verify(said[7:].strip(), doors.clock()))
    if COOKIE in connection.cookies or SEAT_COOKIE in connection.cookies:
        return _by_cookies(connection, doors)
    return NOBODY
