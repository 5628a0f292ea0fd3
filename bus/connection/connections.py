"""The two clients of a process, and the only place that sees a redis exception.

The writer sends idempotent scripts and plain reads over a `Pipeline`, which asks again
for a reply that was lost. The reader waits for hints; its socket timeout
is ten times its longest wait, and it retries nothing, because a client that
re-sends a blocking read hangs for a minute before it says so.

Reply shapes differ between servers, protocol versions and client settings. The
clients' own conversions are switched off here, and callers only use commands
whose raw replies are alike everywhere: flat lists of bytes and integers.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import redis.asyncio as redis
from redis import exceptions
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from parley.bus.connection.pipeline import Argument, Command, Pipeline
from parley.bus.contract.errors import BusError, OutOfOrder, Unavailable, WrongType
from parley.bus.scripts.lua import Scripts

BLOCK_SECONDS: Final = 1.0
_READER_TIMEOUT: Final = 10.0 * BLOCK_SECONDS
_WRITER_TIMEOUT: Final = 10.0  # longer than a fork or an fsync under `always` stalls a server
_WRITER_RETRIES: Final = 9  # 3 to 5 s with the line's back-off: a restart is not an error
_POOL: Final = 16


class Connections:
    """A writer and a reader on one Redis. `aclose` when done."""

    def __init__(self, url: str, scripts: Scripts) -> None:
        self.address = hide_password(url)
        self.scripts = scripts
        try:
            _check_options(url)
            # The line has its own deadline; see there.
            self._writer = _client(url, None)
            self._reader = _client(url, _READER_TIMEOUT)
        except ValueError as error:
            raise Unavailable(
                f"{self.address!r} is no address of Redis ({error}); "
                "use redis://host:port/0, rediss://… or unix:///path"
            ) from None
        pool = self._writer.connection_pool
        self._pipeline = Pipeline(pool, _WRITER_TIMEOUT, _WRITER_RETRIES)
        # The one method of the client that redis-py 8.1 leaves untyped.
        self._ask_once: Callable[..., Awaitable[Any]] = self._reader.execute_command

    async def aclose(self) -> None:
        await self._writer.aclose()
        await self._reader.aclose()

    async def run(self, name: str, keys: Sequence[str], args: Sequence[Argument]) -> Any:
        """The reply of script `name`. Sent again if its reply is lost."""
        script = self.scripts[name]
        (reply,) = await self._ask([("EVALSHA", script.sha, len(keys), *keys, *args)])
        if isinstance(reply, exceptions.NoScriptError):
            # redis-py strips the prefix of the message: only the class tells.
            (reply,) = await self._ask([("EVAL", script.text, len(keys), *keys, *args)])
        return self._sound(reply)

    async def command(self, *words: Argument) -> Any:
        """The raw reply of one command that may safely be sent twice."""
        (reply,) = await self._ask([words])
        return self._sound(reply)

    async def commands(self, batch: Sequence[Command]) -> list[Any]:
        """The raw replies of several such commands, in one round trip."""
        return [self._sound(reply) for reply in await self._ask(batch)] if batch else []

    async def attempts(self, batch: Sequence[Command]) -> list[Any]:
        """The raw replies of several such commands; of one that is refused the `BusError`.

        Raises `Unavailable`, which is about all of them.
        """
        replies = await self._ask(batch) if batch else []
        return [self._refusal(reply) for reply in replies]

    async def once(self, *words: Argument) -> Any:
        """The raw reply of one command, asked once: a server that is away says so now."""
        try:
            return await self._ask_once(*words)
        except exceptions.RedisError as error:
            raise translate_errors(error, self.address) from error

    def pubsub(self) -> PubSub:
        """A subscription on the reader; its errors go through `translate_errors`."""
        return self._reader.pubsub()

    async def _ask(self, batch: Sequence[Command]) -> list[Any]:
        try:
            return await self._pipeline.send(batch)
        except (exceptions.RedisError, OSError, TimeoutError) as error:
            raise translate_errors(error, self.address) from error

    def _sound(self, reply: Any) -> Any:
        if isinstance(reply, exceptions.RedisError):
            raise translate_errors(reply, self.address) from reply
        return reply

    def _refusal(self, reply: Any) -> Any:
        """`reply`, or the error that it stands for."""
        if not isinstance(reply, exceptions.RedisError):
            return reply
        error = translate_errors(reply, self.address)
        if isinstance(error, Unavailable):
            raise error from reply
        return error


def _client(url: str, seconds: float | None) -> redis.Redis:
    pool = redis.BlockingConnectionPool.from_url(
        url,
        max_connections=_POOL,
        timeout=None,
        socket_timeout=seconds,
        socket_connect_timeout=5.0,
        retry=Retry(NoBackoff(), 0),
    )
    client = redis.Redis.from_pool(pool)
    client.response_callbacks.clear()
    return client


def _check_options(url: str) -> None:
    """Raises `ValueError` for an option that redis-py has not, or that changes its replies."""
    for name, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True):
        if name not in ("db", "client_name") and not name.startswith("ssl_"):
            raise ValueError(f"no option {name!r}: only db, client_name and ssl_… may follow '?'")


def hide_password(url: str) -> str:
    """`url` without its password."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "what PARLEY_REDIS holds"  # where a password stands in it, nobody can say
    if parts.password is None:
        return url
    place = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{parts.username or ''}:***@{place}"))


def translate_errors(error: Exception, address: str) -> BusError:
    """What `error` means to the caller: the address, the cause and the cure."""
    text = str(error)
    for kinds, words, cause in _CURES:
        if isinstance(error, kinds) and any(word in text for word in words):
            return Unavailable(f"Redis at {address} {cause}")
    if isinstance(error, (exceptions.ConnectionError, exceptions.TimeoutError, OSError)):
        return Unavailable(
            f"Redis at {address} does not answer ({text or type(error).__name__}); "
            "start it, or set PARLEY_REDIS to one that runs"
        )
    if isinstance(error, exceptions.ResponseError) and "wrong kind of value" in text:
        return WrongType("a key holds another type of value than Parley puts there")
    if isinstance(error, exceptions.ResponseError) and "equal or smaller than" in text:
        return OutOfOrder(f"Redis at {address} refused an entry that is not the last of its log")
    return BusError(f"Redis at {address} refused a command of Parley: {text}")


# Matched in this order, on words that 6.2, 7.0 and fakeredis share. Anonymous
# access to a server with a password arrives as a ConnectionError (redis-py 8.1).
_CURES: Final[tuple[tuple[type[Exception], tuple[str, ...], str], ...]] = (
    (
        exceptions.BusyLoadingError,
        ("",),
        "is still loading its data; try again in a moment",
    ),
    (
        exceptions.RedisError,
        ("WRONGPASS", "invalid username-password", "invalid password", "without any password"),
        "refuses this password; correct the one in PARLEY_REDIS (redis://:password@host)",
    ),
    (
        exceptions.RedisError,
        ("NOAUTH", "Authentication required", "HELLO must be called"),
        "needs a password; put it into PARLEY_REDIS (redis://:password@host)",
    ),
    (
        exceptions.ResponseError,
        ("unknown command `HELLO`", "unknown command 'HELLO'"),
        "is older than 6.0 (it does not know HELLO); Parley needs 6.2 or newer",
    ),
    (
        exceptions.NoPermissionError,
        ("",),
        "denies this user a command or a key; grant it what deploy's ACL lists",
    ),
    (
        exceptions.ReadOnlyError,
        ("",),
        "is a read-only replica; point PARLEY_REDIS at its primary",
    ),
    (
        exceptions.ResponseError,
        ("READONLY", "read only replica"),
        "is a read-only replica; point PARLEY_REDIS at its primary",
    ),
    (
        exceptions.OutOfMemoryError,
        ("",),
        "is full (maxmemory); give it more memory or archive and remove old sessions",
    ),
    (
        exceptions.ResponseError,
        ("OOM", "maxmemory"),
        "is full (maxmemory); give it more memory or archive and remove old sessions",
    ),
    (
        exceptions.ResponseError,
        ("MISCONF",),
        "cannot write to its disk and refuses writes; free space, then see its log",
    ),
)
