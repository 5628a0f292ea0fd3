"""A replica that falls behind its primary and then takes its place, as a failover does."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Self

import redis

from tests.support.servers.patience import cancel_and_wait, wait_until
from tests.support.servers.servers import RedisServer

_STEP = 1 << 16


class Replica:
    """Follows `server` through a port of this machine until `fall_behind`; see `promote`.

    The port leads to the primary's socket, so a primary that opens none has a replica too.
    """

    def __init__(self, server: RedisServer) -> None:
        self._primary = server
        self._replica = RedisServer(server.flavour, aof=server.aof, options=dict(server.options))
        self._door: asyncio.Server | None = None
        self._passing: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._door = await asyncio.start_server(self._pass, "127.0.0.1", 0)
        self._replica.start()
        with self._replica.client() as client:
            client.replicaof("127.0.0.1", self._door.sockets[0].getsockname()[1])
        await wait_until(self._is_whole)
        self._replica.keep_given()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.fall_behind()
        self._replica.remove()

    async def catch_up(self) -> None:
        """Until it has all that its primary has."""
        await wait_until(lambda: not self._missed())

    async def fall_behind(self) -> None:
        """From here on it hears nothing."""
        if self._door is not None:
            self._door.close()
            self._door = None
        await cancel_and_wait(*self._passing)

    def promote(self) -> int:
        """The primary dies, and clients find the replica at its address; the bytes it missed."""
        missed = self._missed()
        with self._replica.client() as client:
            client.execute_command("REPLICAOF", "NO", "ONE")
        self._primary.kill9()
        self._primary.take_over(self._replica)
        return missed

    def _missed(self) -> int:
        """Bytes of commands that only the primary has."""
        with self._replica.client() as client, self._primary.client() as primary:
            here, there = _replication(client), _replication(primary)
        return int(there["master_repl_offset"]) - int(here["slave_repl_offset"])

    def _is_whole(self) -> bool:
        """All is there, and its own file is whole: from here on that only grows."""
        with contextlib.suppress(redis.RedisError), self._replica.client() as client:
            stored: Any = client.info("persistence")
            rewriting = self._replica.aof is not None and (
                not stored["aof_enabled"] or stored["aof_rewrite_in_progress"]
                or stored["aof_rewrite_scheduled"]
            )  # fmt: skip
            return _replication(client)["master_link_status"] == "up" and not rewriting
        return False

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._passing.add(task)
        task.add_done_callback(self._passing.discard)
        # the kit's own end cancels; asyncio's streams would report that as an error
        with contextlib.suppress(OSError, asyncio.CancelledError):
            there, back = await asyncio.open_unix_connection(str(self._primary.socket))
            try:
                await _first_end(_pump(reader, back), _pump(there, writer))
            finally:
                back.close()
                writer.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(_STEP):
        writer.write(data)
        await writer.drain()


async def _first_end(*pumps: Any) -> None:
    tasks = [asyncio.ensure_future(pump) for pump in pumps]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await cancel_and_wait(*tasks)


def _replication(client: redis.Redis) -> dict[str, Any]:
    answer: Any = client.info("replication")
    return dict(answer)
