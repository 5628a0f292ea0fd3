"""From settings to doors that stand open, and shut in order.

Everything is made here once and passed down: the bus, the rooms, the keys. A server
that is told to stop says so on every stream first; nothing waits for a client.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import time
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

import anyio
import uvicorn
from fastapi import FastAPI

from parley.bus.connection.task_groups import wait_unless_set
from parley.bus.connection.tasks import Child, TaskHost
from parley.listeners.history.moments import History
from parley.server.basics.errors import Failure
from parley.server.bootstrap.listener import Listener
from parley.server.http.http_app import build_app
from parley.server.http.live.beats import Beats
from parley.server.http.live.seats import Seats
from parley.server.http.live.session_channels import SessionChannels
from parley.server.http.live.stream_limits import StreamLimits
from parley.server.http.state.dependencies import Dependencies
from parley.server.http.state.origins import OriginRules
from parley.server.http.state.rate_limits import RateLimits
from parley.server.http.tokens.bearer_tokens import Keyring
from parley.server.http.tokens.revocations import Revocations
from parley.server.http.tokens.tickets import Tickets
from parley.server.http.transport.http_connection import Connection, connection_class
from parley.server.http.transport.websocket_connection import WebSocketConnection
from parley.server.mcp import mcp_server
from parley.server.runtime import signing_secret
from parley.server.runtime.backend import Backend
from parley.server.runtime.connection import open_connection
from parley.server.runtime.packs import read_packs
from parley.server.runtime.signing_secret import SigningKeys
from parley.server.settings import Settings
from parley.server.settings.serve_settings import ServeSettings

_DRAIN_SECONDS: Final = 1.0  # for streams to say why they end
STALLED_SECONDS: Final = 20.0  # without a byte taken: the system cuts the connection off
CLOSING_SECONDS: Final = 5  # for what is under way to end by itself
IDLE_SECONDS: Final = 15  # a connection that asks nothing is closed
_HEADER_BYTES: Final = 16_384


class ParleyServer(uvicorn.Server):
    """Leaves signals to us, says when it listens, and closes the streams before it waits."""

    def __init__(self, config: uvicorn.Config, deps: Dependencies) -> None:
        super().__init__(config)
        self.listens = anyio.Event()
        self._deps = deps
        self.server_state.connections = deps.open_connections

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listens.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()  # first, so that who is told to go does not come back here
        self._deps.closing.set()
        await self._deps.streams.wait_empty(_DRAIN_SECONDS)
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


_ANSWERED: Final = frozenset({  # what a client did is told to the client
    "ASGI callable returned without completing handshake.",  # it was: by 401
    "Invalid HTTP request received.", "Unsupported upgrade request.",
    "Invalid UTF-8 sequence received from client.",
})  # fmt: skip


def _is_news(line: logging.LogRecord) -> bool:
    """Whether a record of uvicorn's log is news; a request that a stop cut off is no fault.

    Also called outside of any task, where anyio cannot say which error is its cancellation.
    """
    error = line.exc_info[1] if line.exc_info is not None else None
    cut_off = error is not None and not isinstance(error, Exception)
    return line.msg not in _ANSWERED and not cut_off


logging.getLogger("uvicorn.error").addFilter(_is_news)


@dataclass(frozen=True, slots=True)
class RunningServer:
    """Doors that stand open. `url` is where this machine finds them.

    `serving` is over once they have shut, with the error if it was one.
    """

    app: FastAPI
    deps: Dependencies
    url: str
    signing: SigningKeys
    serving: Child


@asynccontextmanager
async def open_dependencies(
    settings: Settings, signing: SigningKeys, port: int, clock: Callable[[], float] = time.time
) -> AsyncIterator[Dependencies]:
    """What all routes share, for a server on `port`. Raises `Misuse`; `Unavailable` of the bus."""
    serve = settings.serve
    keyring, origins = Keyring(signing.secrets), OriginRules(serve, port)
    async with open_connection(settings) as running, AsyncExitStack() as stack:
        backend = Backend.of(running.bus, read_packs(settings.packs))
        moments = History(backend.bus, backend.packs.known, room_bytes=serve.checkpoint_bytes)
        stack.push_async_callback(moments.aclose)
        rooms = SessionChannels(backend.reader, moments)
        stack.push_async_callback(rooms.aclose)
        seats = Seats(backend.reader, rooms, serve.seat_minutes, clock)
        stack.push_async_callback(seats.aclose)
        closing = anyio.Event()
        revocations = Revocations(backend.bus)
        streams = StreamLimits(closing, clock, serve.streams, revocations)
        stack.push_async_callback(streams.aclose)
        beats = Beats(backend.bus)
        stack.push_async_callback(beats.aclose)
        runs = TaskHost("parley-runs")
        stack.push_async_callback(runs.aclose)
        yield Dependencies(
            settings=settings, backend=backend, connection=running, keyring=keyring,
            tickets=Tickets(keyring, clock), revocations=revocations,
            rate_limits=RateLimits(serve, clock), channels=rooms, seats=seats, moments=moments,
            origins=origins, closing=closing, clock=clock, streams=streams, beats=beats, runs=runs,
        )  # fmt: skip


@asynccontextmanager
async def start_server(
    settings: Settings, clock: Callable[[], float] = time.time
) -> AsyncIterator[RunningServer]:
    """The doors, open while the body runs. Raises `Failure` where the port is taken."""
    signing = signing_secret.load_or_create(settings)
    with bind_socket(settings.serve) as sock:
        port = sock.getsockname()[1]
        async with (
            open_dependencies(settings, signing, port, clock) as deps,
            AsyncExitStack() as stack,
        ):
            parts = (mcp_server.mount_mcp(deps),)
            for part in parts:
                await stack.enter_async_context(part.lifespan())
            app = build_app(deps, parts)
            connections = connection_class(deps)
            sock.make_room = connections.strangers.close_oldest
            server = ParleyServer(_config(app, deps, connections), deps)
            tasks = TaskHost("parley-doors")
            serving = tasks.start("parley-doors", server.serve, list[socket.socket]([sock]))
            try:
                await wait_unless_set(serving.over, server.listens.wait())
                if serving.error is not None:
                    raise serving.error
                yield RunningServer(app, deps, _here(settings.serve.host, port), signing, serving)
            finally:
                server.should_exit = True
                try:
                    await serving.wait()
                finally:
                    await tasks.aclose()  # at once for who is cancelled; raises what it died of


def bind_socket(serve: ServeSettings) -> Listener:
    """A socket on the host and port, before anything else is opened."""
    try:
        (family, *_, address), *_ = socket.getaddrinfo(
            serve.host, serve.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        bound = socket.create_server(address[:2], family=family, backlog=2048)
        sock = Listener(fileno=bound.detach())
        # asyncio does it itself, but not for sockets accepted on one that was made elsewhere.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # of every connection accepted on it
            patience = int(max(serve.slow_seconds * 2, STALLED_SECONDS) * 1000)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, patience)
        return sock
    except (OSError, UnicodeError) as error:  # of a name that is none
        number = getattr(error, "errno", None) or 0
        reason = os.strerror(number) if number > 0 else getattr(error, "strerror", "no host name")
        raise Failure(
            f"cannot listen on {serve.host} port {serve.port}: {reason}; "
            "--port takes another, 0 any that is free"
        ) from None


def _config(app: FastAPI, deps: Dependencies, connections: type[Connection]) -> uvicorn.Config:
    serve = deps.settings.serve
    return uvicorn.Config(
        app,
        loop="asyncio", http=connections, ws=WebSocketConnection, lifespan="off",
        log_config=None, access_log=False, server_header=False,
        proxy_headers=bool(serve.proxies), forwarded_allow_ips=list(serve.proxies),
        ws_max_size=serve.body_bytes, ws_per_message_deflate=False,
        timeout_keep_alive=IDLE_SECONDS, timeout_graceful_shutdown=CLOSING_SECONDS,
        h11_max_incomplete_event_size=_HEADER_BYTES,
    )  # fmt: skip


def _here(host: str, port: int) -> str:
    """The address for a client on this machine."""
    own = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - told from, not bound
    return f"http://[{own}]:{port}" if ":" in own else f"http://{own}:{port}"
