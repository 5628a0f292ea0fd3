"""Exceptions of a route, answered: ours by their table, the framework's as what they mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError, WebSocketRequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Scope
from starlette.websockets import WebSocket, WebSocketState

from parley.bus.connection.event_log import EventLog
from parley.server.http.problems.problem_details import (
    KNOWN,
    Problem,
    problem_from_exception,
    problem_response,
)
from parley.server.http.problems.query_parameters import query_names
from parley.server.http.problems.validation_details import describe_expected, describe_unknown

_logger = EventLog(__name__)

_BY_STATUS: Final = {
    400: "malformed", 404: "not-found", 405: "method", 413: "too-large", 415: "media-type",
}  # fmt: skip
_NOT_AN_OBJECT: Final = frozenset({"model_attributes_type", "dict_type", "list_type", "missing"})

Handler = Callable[[Any, Any], Any]


def install_exception_handlers(app: FastAPI) -> None:
    """Have `app` answer every exception that is known, and each of the framework."""
    handlers: dict[Any, Handler] = {
        **dict.fromkeys(KNOWN, _by_table),
        RequestValidationError: _invalid,
        WebSocketRequestValidationError: _invalid,
        HTTPException: _by_status,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)


async def _by_table(connection: HTTPConnection, error: Exception) -> Response | None:
    return await _answered(connection, problem_from_exception(error))


async def _by_status(connection: HTTPConnection, error: HTTPException) -> Response | None:
    """A problem that came up while the body was read is the cause of the framework's own."""
    if isinstance(error.__cause__, Problem):
        return await _answered(connection, error.__cause__)
    slug = _BY_STATUS.get(error.status_code)
    if slug is None:
        slug = "internal" if error.status_code >= 500 else "malformed"
    allow = ", ".join(_methods(connection)) if slug == "method" else None
    return await _answered(connection, Problem(slug, allow=allow))


async def _invalid(connection: HTTPConnection, error: Any) -> Response | None:
    """Which field, what is wrong with it and what it takes; never what it held."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return await _answered(connection, Problem("malformed"))
    if len(first["loc"]) == 1 and first["type"] in _NOT_AN_OBJECT and not _is_json(connection):
        return await _answered(connection, Problem("media-type"))
    if first["type"] == "extra_forbidden" and len(first["loc"]) == 2:
        return await _answered(connection, _unknown_field(connection, str(first["loc"][1])))
    field = ".".join(_own(connection.app, first["loc"][1:])) or None
    detail = describe_expected(first)
    wrong = Problem("invalid", detail=detail, field=field, fault=first["type"])
    return await _answered(connection, wrong)


def _unknown_field(connection: HTTPConnection, name: str) -> Problem:
    route = connection.scope["route"]
    model = route.body_field.field_info.annotation
    fields = getattr(model, "model_fields", {})  # none of a body that may be left out
    own = [field.alias or key for key, field in fields.items()]
    query = query_names(route)
    detail = describe_unknown(name, own, query)
    field = name if name in api_names(connection.app) else None
    return Problem("invalid", detail=detail, field=field, fault="extra_forbidden")


async def _answered(connection: HTTPConnection, problem: Problem) -> Response | None:
    """As a response; to a socket that was accepted already, as its end."""
    if (
        isinstance(connection, WebSocket)
        and connection.application_state is not WebSocketState.CONNECTING
    ):
        await connection.close(1011 if problem.status >= 500 else 1008)
        return None
    return problem_response(problem, connection.scope)


def _is_json(connection: HTTPConnection) -> bool:
    media_type = connection.headers.get("content-type", "").partition(";")[0].strip().lower()
    return media_type.startswith("application/") and media_type.endswith(("/json", "+json"))


def _own(app: FastAPI, loc: Iterable[int | str]) -> Iterator[str]:
    """The steps to a field that are names of ours; a name that the caller made up ends it."""
    known = api_names(app)
    for step in loc:
        if isinstance(step, str) and step not in known:
            return
        yield str(step)


def api_names(app: FastAPI) -> frozenset[str]:
    """Every name that the API has for a field, a parameter or a kind."""
    names: frozenset[str] | None = getattr(app.state, "own_names", None)
    if names is None:
        names = app.state.own_names = frozenset(_named(app.openapi()))
    return names


def _named(tree: Any) -> Iterator[str]:
    """The names of properties, parameters and constants in a description."""
    if isinstance(tree, list):
        for node in tree:
            yield from _named(node)
    if not isinstance(tree, dict):
        return
    if isinstance(properties := tree.get("properties"), dict):
        yield from properties
    if isinstance(name := tree.get("name"), str):
        yield name
    if isinstance(const := tree.get("const"), str):
        yield const
    for node in tree.values():
        yield from _named(node)


def _methods(connection: HTTPConnection) -> list[str]:
    """The methods that the address of a request does take."""
    scope = connection.scope
    taken = [
        method
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
        if _any_route_matches(connection.app.routes, {**scope, "method": method})
    ]
    return ["HEAD", *taken] if "GET" in taken or not taken else taken


def _any_route_matches(routes: Iterable[BaseRoute], scope: Scope) -> bool:
    """Whether one of `routes` is for the request of `scope`."""
    return any(route.matches(scope)[0] is Match.FULL for route in routes)
