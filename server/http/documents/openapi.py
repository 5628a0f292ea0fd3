"""The API's description of itself: tags, security schemes, what each route may answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic.json_schema import models_json_schema
from starlette.routing import BaseRoute

from parley.server.http.bodies.request_bodies import EditBody, EntriesBody, MessageBody
from parley.server.http.identity.authorization import RequiresRight
from parley.server.http.identity.credentials import COOKIE, SEAT_COOKIE
from parley.server.http.problems.problem_details import SCHEMA, problem_responses

VERSION: Final = "1"  # of the API, as its paths have it
_REF: Final = "#/components/schemas/{model}"
_READ_BY_ROUTES: Final = (MessageBody, EditBody, EntriesBody)  # bodies that no signature names
_DEFAULTS: Final = ("HTTPValidationError", "ValidationError")
_made: list[dict[str, Any]] = []

_ABOUT: Final = """\
Sessions of an asynchronous deliberation: what is said, what it comes to, who may speak.

Every request brings a signed token, as a header or a cookie; a token speaks in its own name.
What goes wrong is `application/problem+json`, without any value of the request. Live streams
are described by `/asyncapi.json`.
"""

# What routers name in their `tags`; in this order.
TAGS: Final[Mapping[str, str]] = {
    "identity": "Logging in, tokens and tickets",
    "sessions": "Sessions as wholes",
    "catalogue": "What sessions are opened with",
    "messages": "What is said",
    "live": "What is said, as it is said",
    "votes": "Votes and ballots",
    "floor": "Who speaks next",
    "participants": "Participants and seats",
    "memory": "What the talk has come to",
    "notebooks": "Participants' own notebooks",
    "work": "Goals, tasks, steps and episodes",
    "tools": "Results of tools that are kept",
    "rules": "Settings, corrections, redaction",
    "lessons": "Lessons of other sessions",
    "health": "Whether the server lives and serves",
    "pages": "The page, and what describes the API",
}

_SCHEMES: Final[Mapping[str, Any]] = {
    "token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": COOKIE},
    "seat": {"type": "apiKey", "in": "cookie", "name": SEAT_COOKIE},
}


def install_openapi(app: FastAPI, routes: Iterable[BaseRoute]) -> None:
    """Have `app.openapi` describe its `routes`; each operation is called as its function."""
    own = [route for route in routes if isinstance(route, APIRoute)]
    for route in own:
        route.operation_id = route.name
    app.openapi = lambda: _kept(app, own)  # type: ignore[method-assign]


def _kept(app: FastAPI, routes: Sequence[APIRoute]) -> dict[str, Any]:
    """The document of these routes, kept: all applications of a process have the same."""
    if not _made:
        _made.append(_described(app, routes))
    return _made[0]


def _described(app: FastAPI, routes: Sequence[APIRoute]) -> dict[str, Any]:
    tree: dict[str, Any] = get_openapi(
        title=app.title, version=VERSION, summary="An asynchronous deliberation server",
        description=_ABOUT, routes=app.routes,
    )  # fmt: skip
    for route in routes:
        for method in route.methods or ():
            operation = tree["paths"].get(route.path_format, {}).get(method.lower())
            if operation is not None:
                _complete(operation, route)
    tree["tags"] = [{"name": name, "description": about} for name, about in TAGS.items()]
    components = tree.setdefault("components", {})
    components["securitySchemes"] = dict(_SCHEMES)
    components["responses"] = {
        str(status): answer for status, answer in problem_responses().items()
    }
    components["schemas"] = _schemas(components.get("schemas", {}))
    return tree


def _complete(operation: dict[str, Any], route: APIRoute) -> None:
    """Add to an operation its family, its right, and what any route may answer."""
    if route.tags:
        operation["tags"] = operation.pop("tags")  # behind what the framework tells
    for answer in operation["responses"].values():
        for media in answer.get("content", {}).values():
            media["schema"].pop("title", None)  # the framework's: the route's path in words
    right = next(route_rights(route), "public")
    operation["x-parley-right"] = right
    if right == "public":
        return
    operation["security"] = [{name: []} for name in _SCHEMES]
    answers = operation["responses"]
    for status, usual in problem_responses().items():
        if answers.get(str(status), usual) == usual:
            answers[str(status)] = {"$ref": f"#/components/responses/{status}"}
    operation["responses"] = dict(sorted(answers.items()))


def route_rights(route: APIRoute) -> Iterator[str]:
    """The rights that a route needs."""
    yield from _rights(route.dependant)


def _rights(dependant: Dependant) -> Iterator[str]:
    if isinstance(dependant.call, RequiresRight):
        yield dependant.call.right
    for inner in dependant.dependencies:
        yield from _rights(inner)


def _schemas(schemas: dict[str, Any]) -> dict[str, Any]:
    """Every schema by name; the framework's own form of errors is not what anybody is sent."""
    _, row = models_json_schema(
        [(model, "validation") for model in _READ_BY_ROUTES], ref_template=_REF
    )
    ours = {name: schema for name, schema in schemas.items() if name not in _DEFAULTS}
    described = dict(sorted({**ours, **row["$defs"], "Problem": SCHEMA}.items()))
    for schema in described.values():
        for field in schema.get("properties", {}).values():
            if field.get("default", ...) is None:
                del field["default"]  # says no more than that it may be left out; generators err
    return described
