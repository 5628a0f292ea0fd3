"""Redis Cluster: each command goes to the node that has its key, and follows the key when it moves.

redis-py's cluster client knows who has which slot, and learns it anew; each node has a line of ours
(docs/decisions/0008). Every command may safely be sent twice, so a command whose slot moved, whose
node fell, or which came in the middle of a migration, is sent again until it is answered.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Final

import anyio
from redis import exceptions
from redis.asyncio.cluster import ClusterNode, RedisCluster
from redis.crc import key_slot

from parley.bus.connection.addresses import Address, Host
from parley.bus.connection.pipeline import AGAIN, NEVER
from parley.bus.connection.server_address import read_password, server_at
from parley.bus.connection.server_connection import Argument, Command, ServerConnection
from parley.bus.connection.server_errors import ConnectionLost, RedisError, ReplyError
from parley.bus.connection.single_node import SingleNode, connect_to
from parley.bus.connection.task_groups import open_task_group

_PATIENCE_SECONDS: Final = 15.0  # a failover takes its node timeout and some seconds
_NODE_SECONDS: Final = 5.0
_NODE_RETRIES: Final = 1  # then whoever has the slot by now is asked
_TOPOLOGY_SECONDS: Final = 2.0
_KEYLESS: Final = frozenset({"TIME", "PING", "INFO", "CONFIG"})
_SCRIPTS: Final = frozenset({"EVALSHA", "EVAL"})
_ASKING: Final[Command] = ("ASKING",)
_REDIRECTED: Final = ("MOVED ", "ASK ")
_LATER: Final = ("TRYAGAIN", "CLUSTERDOWN")  # a migration, an election
_UNKNOWN: Final = (exceptions.RedisError, exceptions.RedisClusterException, OSError, TimeoutError)

Place = tuple[Host, bool]  # a node, and whether it is asked about a slot that it is only importing


class ClusterNodes:
    """The primaries of a cluster, as one. `aclose` when done."""

    def __init__(self, address: Address) -> None:
        self._address = address
        server_at(address)  # its options are sound
        begins = [ClusterNode(host, port) for host, port in address.hosts]
        left_out = ("db", "password_file")
        options = {key: value for key, value in address.options.items() if key not in left_out}
        options["password"] = read_password(address.options)
        self._map = RedisCluster(
            startup_nodes=begins, require_full_coverage=False, **options,
            socket_timeout=_TOPOLOGY_SECONDS, socket_connect_timeout=_TOPOLOGY_SECONDS,
        ).nodes_manager  # fmt: skip
        self._lines: dict[Host, SingleNode] = {}
        self._listens = 0  # subscriptions begun: each is on the next node

    async def send(self, commands: Sequence[Command]) -> list[Any]:
        """The raw replies in order, of a refused command its `ReplyError`.

        Raises `ConnectionLost` or `OSError` where a node could not be reached and nobody took
        its place.
        """
        replies: list[Any] = [None] * len(commands)
        left: dict[int, Host | None] = dict.fromkeys(range(len(commands)))  # and who is to be asked
        deadline: float | None = None
        pause = 0.02
        while True:
            failure = await self._round(commands, left, replies)
            if not left:
                return replies
            if failure is None:
                continue  # redirected: the way is known
            deadline = deadline or anyio.current_time() + _PATIENCE_SECONDS
            if anyio.current_time() > deadline or isinstance(failure, NEVER):
                raise failure
            await anyio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - no secret
            pause = min(2 * pause, 1.0)
            await self._learn()

    async def once(self, *words: Argument) -> Any:
        """The raw reply of one command. Raises `RedisError` or `OSError`."""
        (reply,) = await self.send([words])
        if isinstance(reply, RedisError):
            raise reply
        return reply

    async def on_each(self, *words: Argument) -> list[Any]:
        """The raw replies of the primaries that answer one command. Raises `RedisError`, `OSError`.

        One that is away is left out, as long as another answers.
        """
        replies: list[Any] = []
        failure: Exception | None = None
        for host in await self.primaries():
            try:
                replies.append(await self._line(host).once(*words))
            except AGAIN as error:
                failure = error
        if failure is not None and not replies:
            raise failure
        return replies

    async def primaries(self) -> list[Host]:
        """The nodes that have slots, in the order of their addresses."""
        await self._learn_once()
        nodes = {slot[0] for slot in self._map.slots_cache.values() if slot}
        return sorted((node.host, int(node.port)) for node in nodes)

    async def subscription(self) -> ServerConnection:
        """A connection to one of the nodes: what is published on any is heard on all."""
        hosts = sorted(self._lines) or list(self._address.hosts)
        self._listens += 1
        return await self._line(hosts[self._listens % len(hosts)]).subscription()

    async def aclose(self) -> None:
        for line in self._lines.values():
            await line.aclose()
        await self._map.aclose()
        await self._map.aclose("startup_nodes")

    async def _round(
        self, commands: Sequence[Command], left: dict[int, Host | None], replies: list[Any]
    ) -> Exception | None:
        """Asks each node once for what is `left`, and takes from it what was answered.

        Gives why some of it has to wait, if it has.
        """
        try:
            await self._learn_once()
            groups = self._group(commands, left)
        except _UNKNOWN as error:
            return ConnectionLost(str(error))
        failures: list[Exception] = []

        async def ask(place: Place, numbers: list[int]) -> None:
            try:
                answers = await self._ask(place, [commands[at] for at in numbers])
            except AGAIN as error:
                failures.append(error)
                left.update(dict.fromkeys(numbers))  # whoever has the slot by now
                return
            for at, answer in zip(numbers, answers, strict=True):
                words = str(answer) if isinstance(answer, ReplyError) else ""
                if words.startswith(_REDIRECTED):
                    left[at] = await self._redirect(words, place[0])
                elif words.startswith(_LATER):
                    failures.append(answer)
                else:
                    replies[at] = answer
                    del left[at]

        if len(groups) == 1:
            await ask(*next(iter(groups.items())))
        else:
            async with open_task_group() as tasks:
                for place, numbers in groups.items():
                    tasks.start_soon(ask, place, numbers)
        return failures[0] if failures else None

    def _group(
        self, commands: Sequence[Command], left: dict[int, Host | None]
    ) -> dict[Place, list[int]]:
        """The numbers of commands by the node that is to be asked, each in its order."""
        groups: dict[Place, list[int]] = {}
        for at, asked in sorted(left.items()):
            place = (asked, True) if asked else (self.host_of(_key_of(commands[at])), False)
            groups.setdefault(place, []).append(at)
        return groups

    async def _ask(self, place: Place, commands: list[Command]) -> list[Any]:
        host, imports = place
        line = self._line(host)
        if not imports:
            return await line.send(commands)
        pairs = [each for command in commands for each in (_ASKING, command)]
        return (await line.send(pairs))[1::2]

    async def _redirect(self, words: str, host: Host) -> Host | None:
        """Whom to ask for this once; None: the map says it now."""
        kind, _, where = words.partition(" ")
        way = (exceptions.MovedError if kind == "MOVED" else exceptions.AskError)(where)
        way.host = way.host or host[0]  # a node without an address of its own stands beside
        if isinstance(way, exceptions.MovedError):
            await self._map.move_slot(way)
            return None
        return way.host, way.port

    def host_of(self, key: str | bytes | None) -> Host:
        """The node that has the slot of `key` by what is known; without one, any."""
        if key is None:
            node = self._map.default_node
        else:
            slot = key_slot(key.encode() if isinstance(key, str) else key)
            node = self._map.get_node_from_slot(slot)
        return node.host, int(node.port)

    def _line(self, host: Host) -> SingleNode:
        line = self._lines.get(host)
        if line is None:
            line = self._lines[host] = SingleNode(
                connect_to(server_at(self._address, host)),
                seconds=_NODE_SECONDS,
                retries=_NODE_RETRIES,
            )
        return line

    async def _learn_once(self) -> None:
        if not self._map.slots_cache:
            await self._map.initialize()

    async def _learn(self) -> None:
        """Who has which slot by now; where nobody says so, what was known stands."""
        try:
            await self._map.initialize()
        except _UNKNOWN:
            return


def _key_of(command: Command) -> str | bytes | None:
    """The first key of a command of ours; None where it has none."""
    name = command[0]
    if name in _KEYLESS:
        return None
    if name in _SCRIPTS:
        return _text(command[3]) if int(command[2]) else None
    return _text(command[1])


def _text(argument: Argument) -> str | bytes:
    return str(argument) if isinstance(argument, int) else argument
