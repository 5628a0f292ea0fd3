"""The application: middleware, routers, problems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from server.gateway import (
    answering,
    openapi,
    pages,
    routes_auth,
    routes_catalogue,
    routes_context,
    routes_explain,
    routes_floor,
    routes_goals,
    routes_health,
    routes_lessons,
    routes_live,
    routes_memory,
    routes_messages,
    routes_minutes,
    routes_notes,
    routes_people,
    routes_rules,
    routes_sessions,
    routes_tools,
    routes_view,
    routes_visit,
    routes_votes,
)
from server.gateway.arrival import BodyTime
from server.gateway.asgi import BodyLimit, Heads, RequestIds, SecureHeaders
from server.gateway.doors import Doors, Part
from server.gateway.metrics import Counted
from server.gateway.origins import OwnHosts
from server.gateway.targets import Targets
from server.version import version

ROUTERS: Final = (
    routes_auth.router,
    routes_visit.router,
    routes_health.router,
    routes_sessions.router,
    routes_catalogue.router,
    routes_messages.router,
    routes_votes.router,
    routes_floor.router,
    routes_people.router,
    routes_notes.router,
    routes_goals.router,
    routes_tools.router,
    routes_rules.router,
    routes_lessons.router,
    routes_memory.router,
    routes_context.router,
    routes_explain.router,
    routes_view.router,
    routes_minutes.router,
    routes_live.router,
    pages.router,
)


def build(doors: Doors | None, parts: Sequence[Part] = ()) -> FastAPI:
    """The application over `doors`; without them it can only describe itself.

    It has no lifespan: whoever serves it enters those of its parts.
    """
    app = FastAPI(
        title="Parley",
        version=version(),
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        middleware=_middleware(doors),
    )
    app.state.doors = doors
    for router in ROUTERS:
        app.include_router(router)
    for part in parts:
        app.router.routes.extend(part.routes)
    answering.install(app)
    openapi.describe(app, routes())
    return app


def document() -> dict[str, Any]:
    """OpenAPI of an application that serves nothing."""
    return build(None).openapi()


def routes() -> Iterator[BaseRoute]:
    """Every route of the gateway, for whoever holds all of them to a rule."""
    for router in ROUTERS:
        yield from router.routes


def _middleware(doors: Doors | None) -> list[Middleware]:
    """Outermost first."""
    if doors is None:
        return []
    serve = doors.settings.serve
    return [
        Middleware(Targets),
        Middleware(Counted, doors.metrics),
        Middleware(SecureHeaders),
        Middleware(RequestIds),
        Middleware(OwnHosts, doors.origins),
        Middleware(BodyTime, serve.body_seconds),
        Middleware(BodyLimit, serve.body_bytes, serve.import_bytes),
        Middleware(Heads),
    ]
