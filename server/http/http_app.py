"""The application: middleware, routers, problems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from parley.server.basics.version import version
from parley.server.http.documents import openapi
from parley.server.http.problems import problem_responses
from parley.server.http.routes.access import (
    auth_routes,
    catalogue_routes,
    health_routes,
    page_file_routes,
    visit_routes,
)
from parley.server.http.routes.records import (
    context_routes,
    explanation_routes,
    lesson_routes,
    memory_routes,
    minutes_routes,
    note_routes,
    page_view_routes,
    tool_routes,
)
from parley.server.http.routes.talk import (
    floor_routes,
    goal_routes,
    live_routes,
    message_routes,
    participant_routes,
    session_routes,
    settings_routes,
    vote_routes,
)
from parley.server.http.state.dependencies import Dependencies, MountedPart
from parley.server.http.transport.asgi_middleware import (
    BodyLimit,
    HeadMethod,
    RequestIds,
    SecureHeaders,
)
from parley.server.http.transport.body_timeout import BodyTimeout
from parley.server.http.transport.metrics_middleware import MetricsMiddleware
from parley.server.http.transport.origin_middleware import OriginMiddleware
from parley.server.http.transport.request_targets import AbsoluteTargets
from parley.server.http.transport.strangers import KnownCallers

_ROUTERS: Final = (
    auth_routes.router,
    visit_routes.router,
    health_routes.router,
    session_routes.router,
    catalogue_routes.router,
    message_routes.router,
    vote_routes.router,
    floor_routes.router,
    participant_routes.router,
    note_routes.router,
    goal_routes.router,
    tool_routes.router,
    settings_routes.router,
    lesson_routes.router,
    memory_routes.router,
    context_routes.router,
    explanation_routes.router,
    page_view_routes.router,
    minutes_routes.router,
    live_routes.router,
    page_file_routes.router,
)


def build_app(deps: Dependencies | None, parts: Sequence[MountedPart] = ()) -> FastAPI:
    """The application over `deps`; without them it can only describe itself.

    It has no lifespan: whoever serves it enters those of its parts.
    """
    app = FastAPI(
        title="Parley",
        version=version(),
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        middleware=_middleware(deps),
    )
    app.state.deps = deps
    app.router.routes.extend(list_routes())  # as they are: include_router builds each of them anew
    for part in parts:
        app.router.routes.extend(part.routes)
    problem_responses.install_exception_handlers(app)
    openapi.install_openapi(app, list_routes())
    return app


def openapi_document() -> dict[str, Any]:
    """OpenAPI of an application that serves nothing."""
    return build_app(None).openapi()


def list_routes() -> Iterator[BaseRoute]:
    """Every route of the gateway, for whoever holds all of them to a rule."""
    for router in _ROUTERS:
        yield from router.routes


def _middleware(deps: Dependencies | None) -> list[Middleware]:
    """Outermost first."""
    if deps is None:
        return []
    serve = deps.settings.serve
    return [
        Middleware(AbsoluteTargets),
        Middleware(MetricsMiddleware, deps.metrics),
        Middleware(SecureHeaders),
        Middleware(RequestIds),
        Middleware(OriginMiddleware, deps.origins),
        Middleware(KnownCallers),
        Middleware(BodyTimeout, serve.body_seconds),
        Middleware(BodyLimit, serve.body_bytes, serve.import_bytes),
        Middleware(HeadMethod),
    ]
