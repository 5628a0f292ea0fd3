"""The cookies of a browser: one for the page, and one for each session that has its own name.

Neither can be read by a script, and neither comes along from another site's page. A browser
sends them to every port of their host, so they count for nothing alone: each is made for a
key, which the page keeps for its own origin and sends in a header.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from parley.server.http.identity.credentials import (
    COOKIE,
    KEY_HEADER,
    SEAT_COOKIE,
    hash_key,
    key_of,
)
from parley.server.http.problems.problem_details import Problem
from parley.server.http.state.dependencies import Dependencies
from parley.server.http.tokens.bearer_tokens import EVERY_SESSION, Claims

_KEY_LENGTHS: Final = (16, 128)  # characters
_NO_KEY: Final = (
    f"A cookie is made for a key: send {_KEY_LENGTHS[0]} to {_KEY_LENGTHS[1]} random characters as "
    f"{KEY_HEADER}, now and with each request that brings the cookie."
)


def set_cookie(
    response: Response, request: Request, deps: Dependencies, claims: Claims, *, beside: bool
) -> None:
    """Have the browser keep a token of `claims`; `beside` an operator's, that one stays.

    It counts beside the key of the request alone: see `require_key`.
    """
    bound = replace(claims, key=hash_key(require_key(request)))
    token, age = deps.keyring.sign(bound, "parley-page"), max(0, int(claims.expires - deps.clock()))
    paths = []
    if claims.session != EVERY_SESSION:
        paths.append((SEAT_COOKIE, _path(claims.session)))
    if claims.role == "operator" or not beside:
        paths.append((COOKIE, "/"))
    for name, path in paths or [(COOKIE, "/")]:
        response.set_cookie(
            name, token, max_age=age, path=path, httponly=True, samesite="strict",
            secure=_is_secure(request),
        )  # fmt: skip


def require_key(request: Request) -> str:
    """The key that a cookie is to be made for. Raises `Problem` where the request brings none."""
    key = key_of(request)
    if not _KEY_LENGTHS[0] <= len(key) <= _KEY_LENGTHS[1]:
        raise Problem("invalid", detail=_NO_KEY, field=KEY_HEADER)
    return key


def clear_cookies(response: Response, session: str | None) -> None:
    """The name in one session, or everything: then the browser clears what other paths keep."""
    if session is not None:
        response.delete_cookie(SEAT_COOKIE, path=_path(session), httponly=True, samesite="strict")
        return
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    response.headers["Clear-Site-Data"] = '"cookies"'


def _is_secure(request: Request) -> bool:
    """Whether the browser came by https, though it be a proxy that nobody told us to believe."""
    return request.url.scheme == "https" or request.headers.get("origin", "")[:8] == "https://"


def _path(session: str) -> str:
    return f"/v1/sessions/{session}"
