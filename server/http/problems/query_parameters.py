"""The parameters of an address: those that its route takes, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.requests import HTTPConnection

from parley.server.http.problems.problem_details import Problem
from parley.server.http.problems.validation_details import describe_unknown

OWN_NAMES: Final = "parley.query_names"  # in the scope: of an endpoint that no route describes


def check_query(connection: HTTPConnection) -> None:
    """Raises `Problem` `invalid` for a parameter that the route of a request does not take."""
    if connection.scope["type"] != "http" or not connection.query_params:
        return  # a socket's parameters are its frames
    scope = connection.scope
    own = scope.get(OWN_NAMES) or query_names(scope.get("route"))
    for name in connection.query_params:
        if name not in own:
            detail = describe_unknown(name, own)
            raise Problem("invalid", detail=detail, fault="extra_forbidden")


def query_names(route: Any) -> tuple[str, ...]:
    """What `route` takes in the address, as it is written there."""
    if not isinstance(route, APIRoute):
        return ()
    return tuple(dict.fromkeys(_names(route.dependant)))


def _names(dependant: Dependant) -> Iterator[str]:
    yield from (parameter.alias for parameter in dependant.query_params)
    for dependency in dependant.dependencies:
        yield from _names(dependency)
