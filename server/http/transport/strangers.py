"""Room for connections that have shown no good token: so many in all, so many from one address.

A connection that says nothing cannot show a token. So a part of the connections is kept for those
that have shown one, and of the others the oldest is closed where there is no room for a new one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Final, Protocol

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from parley.bus.connection.event_log import EventLog
from parley.server.http.identity.credentials import client_address, credential_problem, network_of

LINE_SECONDS: Final = 1.0  # between two lines of the log about connections that were closed
CONNECTION: Final = "connection"  # in a request's state: the connection that it came over

_logger = EventLog(__name__)


class Closable(Hashable, Protocol):
    """A connection, which is told to end."""

    def make_room(self) -> None: ...


class Strangers:
    """At most `most` connections in all, and `each` of an address: a new one closes the oldest."""

    def __init__(self, most: int, each: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.most, self.each, self._clock = most, min(each, most), clock
        self._addresses: dict[Closable, str] = {}  # the oldest first
        self._by_address: dict[str, dict[Closable, None]] = {}
        self._closed, self._next_line = 0, float("-inf")

    def __len__(self) -> int:
        return len(self._addresses)

    def enter(self, connection: Closable, host: str) -> None:
        """Count `connection` to `host`, and close the oldest of its address, or of all, if need
        be."""
        self.leave(connection)
        address = network_of(host)
        own = self._by_address.setdefault(address, {})
        own[connection] = None
        self._addresses[connection] = address
        if len(own) > self.each:
            self._close(next(iter(own)))
        elif len(self._addresses) > self.most:
            self.close_oldest()

    def leave(self, connection: Closable) -> None:
        """Count `connection` no more: it has shown a good token, or is over."""
        address = self._addresses.pop(connection, None)
        if address is None:
            return
        own = self._by_address[address]
        del own[connection]
        if not own:
            del self._by_address[address]

    def close_oldest(self, besides: Closable | None = None) -> bool:
        """Close the connection that came first, `besides` not; False if there is none."""
        oldest = next((each for each in self._addresses if each is not besides), None)
        if oldest is None:
            return False
        self._close(oldest)
        return True

    def _close(self, connection: Closable) -> None:
        address = self._addresses[connection]
        self.leave(connection)
        connection.make_room()
        self._closed += 1
        now = self._clock()
        if now >= self._next_line:
            _logger.warning(
                "strangers_closed", closed=self._closed, last=address, open=len(self._addresses),
            )  # fmt: skip
            self._closed, self._next_line = 0, now + LINE_SECONDS


class KnownCallers:
    """Tells the connection of a request, before its body is read, whether its token is good."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = scope.get("state", {}).get(CONNECTION)
        if scope["type"] == "http" and connection is not None and not connection.is_known:
            request = HTTPConnection(scope)
            connection.hear(client_address(request), known=credential_problem(request) is None)
        await self.app(scope, receive, send)
