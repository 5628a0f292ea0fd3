"""One Redis: a line for what may be asked again, and one for what is asked once.

Idempotent scripts and plain reads go over a `Pipeline`, which asks again for a reply that was
lost. What tells whether a server can serve is asked once. A subscription has a connection of
its own. Where Sentinels name the primary, each connection asks them anew as it is opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from parley.bus.connection.addresses import Address
from parley.bus.connection.pipeline import Connect, Pipeline
from parley.bus.connection.server_address import ServerAddress, sentinel_at, server_at
from parley.bus.connection.server_connection import (
    Argument,
    Command,
    ServerConnection,
    pack_commands,
)
from parley.bus.connection.server_errors import ConnectionLost, RedisError

BLOCK_SECONDS: Final = 1.0
_SECONDS: Final = 10.0  # longer than a fork or an fsync under `always` stalls a server
_RETRIES: Final = 9  # 3 to 5 s with the line's back-off: a restart is not an error


class SingleNode:
    """The lines to one Redis, on connections that `connect` opens. `aclose` when done."""

    def __init__(
        self, connect: Connect, *, seconds: float = _SECONDS, retries: int = _RETRIES
    ) -> None:
        self._connect = connect
        self._pipeline = Pipeline(connect, seconds, retries)
        self._impatient = Pipeline(connect, _SECONDS, 0)

    async def send(self, commands: Sequence[Command]) -> list[Any]:
        """The raw replies in order, of a refused command its `ReplyError`.

        Raises `ConnectionLost` or `OSError`.
        """
        return await self._pipeline.send(commands)

    async def once(self, *words: Argument) -> Any:
        """The raw reply of one command, asked once. Raises `RedisError` or `OSError`."""
        (reply,) = await self._impatient.send([words])
        if isinstance(reply, RedisError):
            raise reply
        return reply

    async def on_each(self, *words: Argument) -> list[Any]:
        """The raw reply of the one node there is, asked once."""
        return [await self.once(*words)]

    async def subscription(self) -> ServerConnection:
        """A connection to subscribe on. Raises `ConnectionLost` or `OSError`."""
        return await self._connect()

    async def aclose(self) -> None:
        self._pipeline.close()
        self._impatient.close()


def connect_to(server: ServerAddress) -> Connect:
    """Opens connections to that server."""

    async def connect() -> ServerConnection:
        return await ServerConnection.open(server)

    return connect


def connect_to_primary(address: Address) -> Connect:
    """Opens connections to whatever server the Sentinels of `address` call its primary.

    Raises `ValueError` for an address that is none.
    """
    sentinels = [sentinel_at(address, host) for host in address.hosts]
    server_at(address)  # its options are sound

    async def connect() -> ServerConnection:
        for sentinel in sentinels:
            if (place := await _ask_for_primary(sentinel, address.service or "")) is not None:
                host, port = str(place[0], "utf-8"), int(place[1])
                connection = await ServerConnection.open(server_at(address, (host, port)))
                connection.loses_replicas()
                return connection
        raise ConnectionLost(f"no Sentinel names a primary of {address.service!r}")

    return connect


async def _ask_for_primary(sentinel: ServerAddress, service: str) -> list[bytes] | None:
    """Where the primary is; None where that Sentinel is away or does not know."""
    question = pack_commands([("SENTINEL", "GET-MASTER-ADDR-BY-NAME", service)])
    try:
        connection = await ServerConnection.open(sentinel)
        try:
            (place,) = await connection.exchange(question, 1)
        finally:
            connection.disconnect()
    except (RedisError, OSError):
        return None
    return place if isinstance(place, list) else None
