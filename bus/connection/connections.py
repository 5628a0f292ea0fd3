"""What a process asks its Redis by, wherever that is: one server or several.

Callers only use commands whose raw replies are alike on all servers: flat lists of bytes and
integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parley.bus.connection.addresses import Address, hide_password, parse_address
from parley.bus.connection.server_address import server_at
from parley.bus.connection.server_connection import Argument, Command, ServerConnection
from parley.bus.connection.server_errors import RedisError, ReplyError, translate_errors
from parley.bus.connection.single_node import SingleNode, connect_to, connect_to_primary
from parley.bus.contract.errors import Unavailable
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
    def user(self) -> str:
        """By which name this process logs in; "" where it is Redis' default user."""
        return str(self._where.options.get("username") or "")

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
        if isinstance(reply, ReplyError) and str(reply).startswith("NOSCRIPT"):
            (reply,) = await self._ask([("EVAL", script.text, len(keys), *keys, *args)])
        return self._sound(reply)

    async def command(self, *words: Argument) -> Any:
        """The raw reply of one command that may safely be sent twice."""
        (reply,) = await self._ask([words])
        return self._sound(reply, words)

    async def commands(self, batch: Sequence[Command]) -> list[Any]:
        """The raw replies of several such commands, in one round trip."""
        replies = await self._ask(batch) if batch else []
        return [self._sound(reply, words) for reply, words in zip(replies, batch, strict=True)]

    async def attempts(self, batch: Sequence[Command]) -> list[Any]:
        """The raw replies of several such commands; of one that is refused the `BusError`.

        Raises `Unavailable`, which is about all of them.
        """
        replies = await self._ask(batch) if batch else []
        return [self._refusal(reply, words) for reply, words in zip(replies, batch, strict=True)]

    async def once(self, *words: Argument) -> Any:
        """The raw reply of one command, asked once: a server that is away says so now."""
        try:
            return await self._nodes.once(*words)
        except (RedisError, OSError) as error:
            raise translate_errors(error, self.address) from error

    async def on_each(self, *words: Argument) -> list[Any]:
        """The raw reply of every node that answers one command, asked once; of one there is one."""
        try:
            return await self._nodes.on_each(*words)
        except (RedisError, OSError) as error:
            raise translate_errors(error, self.address) from error

    async def subscription(self) -> ServerConnection:
        """A connection to subscribe on; its errors go through `translate_errors`."""
        return await self._nodes.subscription()

    async def _ask(self, batch: Sequence[Command]) -> list[Any]:
        try:
            return await self._nodes.send(batch)
        except (RedisError, OSError) as error:
            raise translate_errors(error, self.address) from error

    def _sound(self, reply: Any, words: Command = ()) -> Any:
        if isinstance(reply, RedisError):
            raise translate_errors(reply, self.address, _key_of(words)) from reply
        return reply

    def _refusal(self, reply: Any, words: Command) -> Any:
        """`reply`, or the error that it stands for."""
        if not isinstance(reply, RedisError):
            return reply
        error = translate_errors(reply, self.address, _key_of(words))
        if isinstance(error, Unavailable):
            raise error from reply
        return error


def _key_of(words: Command) -> str:
    """The key that a command is about, which is its first argument."""
    return str(words[1]) if len(words) > 1 else ""


def _names_cluster(address: Address) -> bool:
    return address.service is None and len(address.hosts) > 1


def _cluster(address: Address) -> ClusterNodes:
    from parley.bus.connection.cluster_nodes import ClusterNodes  # elsewhere nobody needs it

    return ClusterNodes(address)


def _single(address: Address) -> SingleNode:
    """Raises `ValueError` for an address that is none."""
    if address.service is not None:
        return SingleNode(connect_to_primary(address))
    return SingleNode(connect_to(server_at(address)))
