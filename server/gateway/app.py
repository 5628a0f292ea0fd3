"""The application: middleware, routers, problems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from parley.server.basics.version import version
from parley.server.gateway import pages
from parley.server.gateway.documents import openapi
from parley.server.gateway.doors import Doors, Part
from parley.server.gateway.metrics import Counted
from parley.server.gateway.origins import OwnHosts
from parley.server.gateway.problems import answering
from parley.server.gateway.routes import (
    auth,
    catalogue,
    context,
    explain,
    floor,
    goals,
    health,
    lessons,
    live,
    memory,
    messages,
    minutes,
    notes,
    people,
    rules,
    sessions,
    tools,
    view,
    visit,
    votes,
)
from parley.server.gateway.transport.arrival import BodyTime
from parley.server.gateway.transport.asgi import BodyLimit, Heads, RequestIds, SecureHeaders
from parley.server.gateway.transport.targets import Targets

ROUTERS: Final = (
    auth.router,
    visit.router,
    health.router,
    sessions.router,
    catalogue.router,
    messages.router,
    votes.router,
    floor.router,
    people.router,
    notes.router,
    goals.router,
    tools.router,
    rules.router,
    lessons.router,
    memory.router,
    context.router,
    explain.router,
    view.router,
    minutes.router,
    live.router,
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
