"""What all routes share, made once a process; and how a route comes by it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, cast

import anyio
from fastapi import Depends, Path
from starlette.requests import HTTPConnection
from starlette.routing import BaseRoute

from parley.bus.connection.tasks import TaskHost
from parley.bus.contract.keys import SESSION_ID
from parley.listeners.history.moments import History
from parley.server.http.live.beats import Beats
from parley.server.http.live.seats import Seats
from parley.server.http.live.session_channels import SessionChannels
from parley.server.http.live.stream_limits import StreamLimits
from parley.server.http.state.answer_cache import AnswerCache
from parley.server.http.state.metrics import Metrics
from parley.server.http.state.origins import OriginRules
from parley.server.http.state.rate_limits import RateLimits
from parley.server.http.tokens.bearer_tokens import Keyring
from parley.server.http.tokens.revocations import Revocations
from parley.server.http.tokens.tickets import Tickets
from parley.server.runtime.backend import Backend
from parley.server.runtime.connection import Connection
from parley.server.settings import Settings

SESSION_PATTERN: Final = "^" + SESSION_ID.pattern.replace(r"\Z", "$")  # as JSON Schema has it
_MINUTES_AT_ONCE: Final = 2  # minutes, in threads that others need as well
MAX_INTEGER: Final = 2**53 - 1  # of any whole number in a request: JavaScript reads no larger one


@dataclass(frozen=True, slots=True)
class Dependencies:
    """`closing` is set once the server is to end: every stream says so and returns."""

    settings: Settings
    backend: Backend
    connection: Connection
    keyring: Keyring
    tickets: Tickets
    revocations: Revocations
    rate_limits: RateLimits
    channels: SessionChannels
    streams: StreamLimits
    beats: Beats
    seats: Seats
    moments: History
    origins: OriginRules
    closing: anyio.Event
    runs: TaskHost  # of scenarios that are played
    clock: Callable[[], float] = time.time  # tokens expire by it
    minutes_slots: anyio.Semaphore = field(
        default_factory=lambda: anyio.Semaphore(_MINUTES_AT_ONCE)
    )
    metrics: Metrics = field(default_factory=Metrics)
    answer_cache: AnswerCache = field(default_factory=AnswerCache)
    import_lock: anyio.Lock = field(default_factory=anyio.Lock)  # files are held whole
    verify_lock: anyio.Lock = field(default_factory=anyio.Lock)  # logs are, and folded twice
    open_connections: set[Any] = field(default_factory=set)  # that are open


@dataclass(frozen=True, slots=True)
class MountedPart:
    """Routes of another package, and what runs for as long as the server does."""

    routes: tuple[BaseRoute, ...]
    lifespan: Callable[[], AbstractAsyncContextManager[Any]] = nullcontext


def dependencies_of_app(connection: HTTPConnection) -> Dependencies:
    return cast("Dependencies", connection.app.state.deps)


async def _get_dependencies(connection: HTTPConnection) -> Dependencies:
    """The dependencies for a route; a coroutine, since all else is asked for in a thread."""
    return dependencies_of_app(connection)


DependenciesOf = Annotated[Dependencies, Depends(_get_dependencies)]
SessionId = Annotated[str, Path(pattern=SESSION_PATTERN, description="id of the session")]
