"""The connections of a process, and the only place that sees a redis exception.

Reply shapes differ between servers, protocol versions and client settings. The
clients' own conversions are switched off here, and callers only use commands
whose raw replies are alike everywhere: flat lists of bytes and integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from redis import exceptions
from redis.asyncio.client import PubSub

from parley.bus.connection.addresses import Address, hide_password, parse_address
from parley.bus.connection.pipeline import Argument, Command
from parley.bus.connection.single_node import SingleNode, pool_of_sentinels, pool_of_url
from parley.bus.contract.errors import BusError, OutOfOrder, Unavailable, WrongType
from parley.bus.scripts.lua import Scripts

if TYPE_CHECKING:
    from parley.bus.connection.cluster_nodes import ClusterNodes


class Connections:
    """The way to one Redis, to the primary that Sentinels name, or to a cluster."""

    def __init__(self, url: str, scripts: Scripts) -> None:
        self.address = hide_password(url)
        self.scripts = scripts
        try:
            self._where = parse_address(url)
            self._cluster = _cluster(self._where) if _names_cluster(self._where) else None
            self._nodes: SingleNode | ClusterNodes = self._cluster or _single(self._where)
        except ValueError as error:
            raise Unavailable(
                f"{self.address!r} is no address of Redis ({error}); use redis://host:port/0, "
                "rediss://…, unix:///path, redis://one:port,two:port of a cluster or "
                "redis+sentinel://host:port/SERVICE"
            ) from None

    async def aclose(self) -> None:
        await self._nodes.aclose()

    @property
    def follows_cluster(self) -> bool:
        """Whether commands go to the nodes of a cluster, by their keys."""
        return self._cluster is not None

    def node_of(self, key: str) -> str:
        """The node that has `key`, as far as is known: `host:port`, or the whole address."""
        if self._cluster is not None:
            host, port = self._cluster.host_of(key)
            return f"{host}:{port}"
        return self.address

    async def follow_cluster(self) -> None:
        """From here on the server is one node of a cluster, which tells of the others."""
        await self._nodes.aclose()
        self._nodes = self._cluster = _cluster(self._where)

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
            return await self._nodes.once(*words)
        except exceptions.RedisError as error:
            raise translate_errors(error, self.address) from error

    async def on_each(self, *words: Argument) -> list[Any]:
        """The raw reply of every node that answers one command, asked once; of one there is one."""
        try:
            return await self._nodes.on_each(*words)
        except exceptions.RedisError as error:
            raise translate_errors(error, self.address) from error

    def pubsub(self) -> PubSub:
        """A subscription of its own; its errors go through `translate_errors`."""
        return self._nodes.pubsub()

    async def _ask(self, batch: Sequence[Command]) -> list[Any]:
        try:
            return await self._nodes.send(batch)
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


def _names_cluster(address: Address) -> bool:
    return address.service is None and len(address.hosts) > 1


def _cluster(address: Address) -> ClusterNodes:
    from parley.bus.connection.cluster_nodes import ClusterNodes  # elsewhere nobody needs it

    return ClusterNodes(address)


def _single(address: Address) -> SingleNode:
    """Raises `ValueError` for an address that is none."""
    if address.service is not None:
        return SingleNode(pool_of_sentinels(address))
    return SingleNode(pool_of_url(address.url))


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
