"""One Redis: a writer whose connection is shared, and a reader that waits for hints.

The writer sends idempotent scripts and plain reads over a `Pipeline`, which asks again for a
reply that was lost. The reader's socket timeout is ten times its longest wait, and it
retries nothing, because a client that re-sends a blocking read hangs for a minute before it
says so. Where Sentinels name the primary, a connection asks them anew each time that it is opened.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import redis.asyncio as redis
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel, SentinelConnectionPool
from redis.backoff import NoBackoff

from parley.bus.connection.addresses import Address
from parley.bus.connection.pipeline import Argument, Command, Pipeline

BLOCK_SECONDS: Final = 1.0
CONNECT_SECONDS: Final = 5.0
_READER_TIMEOUT: Final = 10.0 * BLOCK_SECONDS
_WRITER_TIMEOUT: Final = 10.0  # longer than a fork or an fsync under `always` stalls a server
_WRITER_RETRIES: Final = 9  # 3 to 5 s with the line's back-off: a restart is not an error
_POOL: Final = 16

MakePool = Callable[[float | None], redis.ConnectionPool]  # with the timeout of its sockets


class SingleNode:
    """A writer and a reader on one Redis. `aclose` when done."""

    def __init__(
        self, pool: MakePool, *, seconds: float = _WRITER_TIMEOUT, retries: int = _WRITER_RETRIES
    ) -> None:
        self._writer = _client(pool(None))  # the line has its own deadline; see there
        self._reader = _client(pool(_READER_TIMEOUT))
        self._pipeline = Pipeline(self._writer.connection_pool, seconds, retries)
        # The one method of the client that redis-py 8.1 leaves untyped.
        self._ask_once: Callable[..., Awaitable[Any]] = self._reader.execute_command

    async def send(self, commands: Sequence[Command]) -> list[Any]:
        """The raw replies in order, of a refused command its exception. Raises redis' errors."""
        return await self._pipeline.send(commands)

    async def once(self, *words: Argument) -> Any:
        """The raw reply of one command, asked once. Raises redis' errors."""
        return await self._ask_once(*words)

    async def on_each(self, *words: Argument) -> list[Any]:
        """The raw reply of the one node there is, asked once."""
        return [await self.once(*words)]

    def pubsub(self) -> PubSub:
        """A subscription on the reader."""
        return self._reader.pubsub()

    async def aclose(self) -> None:
        for client in (self._writer, self._reader):
            await client.aclose()
            if isinstance(pool := client.connection_pool, SentinelConnectionPool):
                for watcher in pool.sentinel_manager.sentinels:
                    await watcher.aclose()


def pool_of_url(url: str) -> MakePool:
    """Connections to the server at `url`. Raises `ValueError` for what is none."""

    def make(seconds: float | None) -> redis.ConnectionPool:
        return redis.BlockingConnectionPool.from_url(
            url, max_connections=_POOL, timeout=None, **_sockets(seconds)
        )

    return make


def pool_of_sentinels(address: Address) -> MakePool:
    """Connections to whatever server the Sentinels of `address` call its primary."""

    def make(seconds: float | None) -> redis.ConnectionPool:
        watchers = Sentinel(  # type: ignore[no-untyped-call]  # untyped in redis-py 8.1
            list(address.hosts),
            sentinel_kwargs={
                **_sockets(CONNECT_SECONDS), **address.sentinel_options,
                **({"ssl": True} if address.options.get("ssl") else {}),
            },
            **address.options, **_sockets(seconds),
        )  # fmt: skip
        pool: redis.ConnectionPool = watchers.master_for(
            address.service or "", connection_pool_class=SentinelConnectionPool
        ).connection_pool
        return pool

    return make


def _sockets(seconds: float | None) -> dict[str, Any]:
    return {
        "socket_timeout": seconds,
        "socket_connect_timeout": CONNECT_SECONDS,
        "retry": Retry(NoBackoff(), 0),
    }


def _client(pool: redis.ConnectionPool) -> redis.Redis:
    client = redis.Redis.from_pool(pool)
    client.response_callbacks.clear()
    return client
