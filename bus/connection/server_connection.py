"""One connection to a Redis: commands out, replies in, read by hiredis.

Replies are those of RESP 2: bytes, integers, lists and None, alike on every server. The
transport and its future are asyncio's, since every command passes them.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Self, cast

from hiredis import Reader, pack_command

from parley.bus.connection.server_address import ServerAddress
from parley.bus.connection.server_errors import (
    ConnectionLost,
    LoginRefused,
    ReplyError,
    read_error,
)

Argument = str | bytes | int
Command = Sequence[Argument]

CONNECT_SECONDS: Final = 5.0
_MORE: Final = object()  # the parser has no whole reply yet
# hiredis 3.5 types its tuple as having one element
_packed: Final = cast("Callable[[tuple[Argument, ...]], bytes]", pack_command)


def pack_commands(commands: Iterable[Command]) -> bytes:
    """The bytes of `commands`. Raises `TypeError` for an argument that has none."""
    return b"".join([_packed(tuple(words)) for words in commands])


class ServerConnection(asyncio.Protocol):
    """A connection that `open` made, for one task at a time; ended by `disconnect`.

    A caller who gives up amid an exchange disconnects: replies that still come would be
    taken for those of the next one.
    """

    def __init__(self) -> None:
        self._parser = Reader(
            protocolError=ConnectionLost, replyError=read_error, notEnoughData=_MORE
        )
        self._replies: deque[Any] = deque()
        self._transport: asyncio.Transport
        self._waiting: asyncio.Future[None] | None = None
        self._blocked = False  # what was written has not left: the server does not read
        self._lost: ConnectionLost | None = None
        self._loses_replicas = False

    @classmethod
    async def open(cls, address: ServerAddress) -> Self:
        """A connection that is logged in. Raises `OSError`, `TimeoutError` or `ConnectionLost`."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(CONNECT_SECONDS):
            if address.path is not None:
                _, connection = await loop.create_unix_connection(cls, address.path)
            else:
                _, connection = await loop.create_connection(cls, *address.host, ssl=address.tls)
            try:
                await connection._log_in(address.login)
            except BaseException:
                connection.disconnect()
                raise
        return connection

    async def exchange(self, packed: bytes, count: int) -> list[Any]:
        """The `count` replies to the commands in `packed`; a refused one's is a `ReplyError`.

        Raises `ConnectionLost` where no more come.
        """
        await self.send(packed)
        replies = self._replies
        while len(replies) < count:
            await self._wait()
        return [self._sound(replies.popleft()) for _ in range(count)]

    async def send(self, packed: bytes) -> None:
        """Writes the commands in `packed`. Raises `ConnectionLost`."""
        self._raise_if_lost()
        self._transport.write(packed)
        while self._blocked:
            await self._wait()

    async def receive(self) -> Any:
        """The next reply, or message of a subscription. Raises `ReplyError`, `ConnectionLost`."""
        while not self._replies:
            await self._wait()
        reply = self._sound(self._replies.popleft())
        if isinstance(reply, ReplyError):
            raise reply
        return reply

    def loses_replicas(self) -> None:
        """From now on a server that is no primary any more counts as lost: another is one."""
        self._loses_replicas = True

    def disconnect(self) -> None:
        """Ends it at once: what waits to be sent is dropped."""
        self._transport.abort()

    async def _log_in(self, commands: Sequence[Command]) -> None:
        if not commands:
            return
        for reply in await self.exchange(pack_commands(commands), len(commands)):
            if isinstance(reply, ReplyError):
                raise LoginRefused(str(reply))

    def _sound(self, reply: Any) -> Any:
        if isinstance(reply, ConnectionLost):
            raise reply
        if self._loses_replicas and isinstance(reply, ReplyError) and "READONLY" in str(reply):
            raise ConnectionLost(str(reply))
        return reply

    def _raise_if_lost(self) -> None:
        if self._lost is not None:
            raise ConnectionLost(str(self._lost)) from self._lost.__cause__

    async def _wait(self) -> None:
        """Until something changes. Raises `ConnectionLost` where nothing will."""
        self._raise_if_lost()
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            await self._waiting
        finally:
            self._waiting = None

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        ends: socket.socket | None = transport.get_extra_info("socket")
        if ends is not None and ends.family != getattr(socket, "AF_UNIX", None):
            ends.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed(data)
            while (reply := self._parser.gets()) is not _MORE:
                self._replies.append(reply)
        except ConnectionLost as error:  # no RESP
            self._lost = error
            self._transport.abort()
        self._wake()

    def pause_writing(self) -> None:
        self._blocked = True

    def resume_writing(self) -> None:
        self._blocked = False
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._blocked = False
        if self._lost is None:
            self._lost = ConnectionLost(str(exc) if exc else "the connection was closed")
            self._lost.__cause__ = exc
        self._wake()
