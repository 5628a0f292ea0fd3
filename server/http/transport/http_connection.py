"""One connection of HTTP/1.1, with an end to everything that it waits for.

uvicorn closes a connection that was answered and is silent. It waits without end for one
that never asked, for half a head, and for a body that follows its answer; and it refuses
what is no HTTP in words of its own.

asyncio by name, for types alone: uvicorn's protocols have its transports and timers.
"""

from __future__ import annotations

import contextlib
import resource
import secrets
from typing import TYPE_CHECKING, Any, Final

import h11
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

from parley.server.http.problems.problem_details import Problem, problem_response
from parley.server.http.transport.asgi_middleware import add_security_headers
from parley.server.http.transport.strangers import CONNECTION, Strangers

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Container

    from parley.server.http.state.dependencies import Dependencies
    from parley.server.settings.serve_settings import ServeSettings

HEAD_SECONDS: Final = 15.0  # from its first byte to its last, or from connecting to the first
LINGER_SECONDS: Final = 5.0  # for which a body is read that was answered before it came
OWN_FILES: Final = 128  # of those that the process may have open, for other things
RETRY_SECONDS: Final = 5.0


def most_connections(serve: ServeSettings) -> int:
    """How many may be open at once: what the settings come to, or what the system allows."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = serve.streams + serve.strangers
    return wanted if soft == resource.RLIM_INFINITY else max(1, min(wanted, soft - OWN_FILES))


def raise_file_limit(serve: ServeSettings) -> None:
    """Have the system let this process open as many files as it may need, if it does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = serve.streams + serve.strangers + OWN_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if resource.RLIM_INFINITY != soft < wanted:
        with contextlib.suppress(OSError, ValueError):  # the kernel has a limit of its own
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class Connection(H11Protocol):
    """Made by `connection_class`, which says how many there may be."""

    most: int
    strangers: Strangers
    proxies: Container[str]
    is_known = False  # by a good token, for as long as it lasts
    _is_proxys = False  # it carries requests of many, each of which is known by its own token
    _ending: asyncio.TimerHandle | None = None
    _over = False  # it was told so: what comes is read, so that the answer is, and not heeded

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        host = self.client[0] if self.client else ""
        self.app_state = {**self.app_state, CONNECTION: self}
        self._is_proxys = host in self.proxies
        if not self._is_proxys:
            self.strangers.enter(self, host)
        if len(self.connections) > self.most and not self.strangers.close_oldest(besides=self):
            detail = "Too many connections are open; ask again in a moment."
            self._refuse(Problem("unavailable", detail=detail, retry_after=RETRY_SECONDS))
            self.transport.close()
        else:
            self._end_in(HEAD_SECONDS)

    def hear(self, host: str, *, known: bool) -> None:
        """A request of `host` begins, with a good token if `known`."""
        if not known and self._is_proxys:
            self.strangers.enter(self, host)
        elif known:
            self.strangers.leave(self)
            self.is_known = not self._is_proxys

    def make_room(self) -> None:
        """End without a word, which would cost more than the connection did."""
        self._over = True
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if not self._over:
            super().data_received(data)
            self._mind()

    def shutdown(self) -> None:
        half_a_body = self.conn.their_state is h11.SEND_BODY
        if self._over or half_a_body:  # whoever reads it sees that nobody sends any more
            self.transport.close()
        else:
            super().shutdown()

    def connection_lost(self, exc: Exception | None) -> None:
        self._go_on()
        self.strangers.leave(self)
        self.app_state = {}  # else it holds itself
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._is_proxys:
            self.strangers.leave(self)
        self._mind()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._go_on()
        self.strangers.leave(self)  # it shows a token now or is refused
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:
        detail = "This is no request of HTTP/1.1."
        self._refuse(Problem("malformed", detail=detail))

    def _mind(self) -> None:
        """Have an end to what is waited for, where uvicorn has none."""
        if self._over:
            return
        if self.transport.is_closing():
            self._go_on()
        elif self.conn.our_state is h11.DONE:  # answered, and the body is not all there
            self._end_in(LINGER_SECONDS)
        elif self.conn.their_state is h11.IDLE and self.timeout_keep_alive_task is None:
            self._end_in(HEAD_SECONDS)
        else:
            self._go_on()

    def _end_in(self, seconds: float) -> None:
        if self._ending is None:
            self._ending = self.loop.call_later(seconds, self._end)

    def _go_on(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
            self._ending = None

    def _end(self) -> None:
        if self.conn.our_state is h11.IDLE and self.conn.trailing_data[0]:
            self._refuse(Problem("too-slow"))
        else:
            self.transport.close()

    def _refuse(self, problem: Problem) -> None:
        """Answer what is no request yet, and end."""
        idle = self.cycle is None or self.cycle.response_complete
        self._over = True
        self._go_on()
        with contextlib.suppress(h11.LocalProtocolError):  # half of another answer was sent
            self.transport.write(
                b"".join(self.conn.send(event) or b"" for event in _problem_events(problem))
            )
        if idle and self.transport.can_write_eof():
            self.transport.write_eof()
            self._ending = self.loop.call_later(LINGER_SECONDS, self.transport.close)
        else:  # whoever is at work on an answer sees that nobody waits for it
            self.transport.close()


def _problem_events(problem: Problem) -> tuple[h11.Response, h11.Data, h11.EndOfMessage]:
    """The answer that `problem` is where there was no request."""
    own = secrets.token_hex(8)
    response = problem_response(problem, {"state": {"request_id": own}})
    add_security_headers(response.headers)
    response.headers["X-Request-Id"] = own
    response.headers["Connection"] = "close"
    head = h11.Response(status_code=problem.status, headers=response.raw_headers)
    return head, h11.Data(data=bytes(response.body)), h11.EndOfMessage()


def connection_class(deps: Dependencies) -> type[Connection]:
    """The kind of connection that a server over `deps` has.

    At least half of the connections are for who has shown a good token.
    """
    serve = deps.settings.serve
    most = most_connections(serve)
    members: dict[str, Any] = {
        "most": most,
        "strangers": Strangers(min(serve.strangers, max(1, most // 2)), serve.strangers_each),
        "proxies": ProxyHeadersMiddleware(_no_app, list(serve.proxies)).trusted_hosts,
    }
    return type("Connection", (Connection,), members)


async def _no_app(*_: Any) -> None:
    """In place of an application, if proxies are looked up alone."""
