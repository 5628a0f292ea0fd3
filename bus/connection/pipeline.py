"""Many tasks on one connection: whoever finds it free sends for all who wait.

A request that comes while an exchange is under way waits for its end, and then
all that wait go out together: the busier the process, the fewer round trips.
Futures and the timeout are asyncio's, since every command passes them: anyio has nothing
as cheap.

Every request must be safe to send twice: a lost reply is asked for again.

A server that stayed away for all of that is known to be away: whoever waits is told with
the one that tried, and until it answers again each request is tried once and briefly.
Else each would take as long by itself, one after the other.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from msgspec import Struct

from parley.bus.connection.server_connection import Command, ServerConnection, pack_commands
from parley.bus.connection.server_errors import ConnectionLost, LoginRefused

_MOST: Final = 256  # commands in one exchange; more would only delay the first answer
_BRIEFLY: Final = 0.2  # of the time of an exchange, for a server that did not answer the last one
AGAIN: Final = (ConnectionLost, OSError)  # of which a timeout says: it is there, and silent
NEVER: Final = LoginRefused

Connect = Callable[[], Awaitable[ServerConnection]]


class _Request(Struct, eq=False):
    """`count` commands, packed by whoever asks: what cannot be packed fails its own caller."""

    packed: bytes
    count: int
    answer: asyncio.Future[list[Any] | None]  # None: send it yourself, the connection is yours


class _Away(Struct, frozen=True):
    """Why the server could not be reached the last time, and when that was."""

    error: Exception
    at: float


class Pipeline:
    """One connection, shared; opened by `connect` at its first use.

    An exchange has `seconds`, and is tried `retries` times more; one more after silence.
    """

    def __init__(self, connect: Connect, seconds: float, retries: int) -> None:
        self._connect = connect
        self._seconds = seconds
        self._retries = retries
        self._connection: ServerConnection | None = None
        self._waiting: deque[_Request] = deque()
        self._taken = False
        self._away: _Away | None = None  # since the newest exchange was given up

    async def send(self, commands: Sequence[Command]) -> list[Any]:
        """The raw replies of `commands`, in order; a refused one's is its exception.

        Raises `ConnectionLost` or `OSError` where the server could not be reached.
        """
        packed = pack_commands(commands)
        if self._taken:
            request = _Request(packed, len(commands), asyncio.get_running_loop().create_future())
            self._waiting.append(request)
            try:
                answer = await request.answer
            except asyncio.CancelledError:
                if not request.answer.cancelled() and request.answer.result() is None:
                    self._hand_over()
                raise
            if answer is not None:
                return answer
        self._taken = True
        try:
            if (silence := self._silence()) is not None:
                raise silence
            return await self._lead(packed, len(commands))
        finally:
            self._hand_over()

    def close(self) -> None:
        """Ends the connection. Another request would open a new one."""
        if self._connection is not None:
            self._connection.disconnect()
            self._connection = None

    async def _lead(self, packed: bytes, count: int) -> list[Any]:
        together = self._companions(_MOST - count)
        batch = b"".join([packed, *(request.packed for request in together)])
        try:
            replies = await self._persist(batch, count + sum(each.count for each in together))
        except AGAIN as error:
            self._away = _Away(error, asyncio.get_running_loop().time())
            for request in (*together, *self._waiting):
                if not request.answer.done():
                    request.answer.set_exception(error)
            self._waiting.clear()
            raise
        except BaseException:  # whoever leads was cancelled; the others were not
            self._waiting.extendleft(reversed(together))
            raise
        at = count
        for request in together:
            if not request.answer.done():
                request.answer.set_result(replies[at : at + request.count])
            at += request.count
        return replies[:count]

    def _companions(self, room: int) -> list[_Request]:
        companions: list[_Request] = []
        while self._waiting and room >= self._waiting[0].count:
            request = self._waiting.popleft()
            if not request.answer.done():
                companions.append(request)
                room -= request.count
        return companions

    def _hand_over(self) -> None:
        while self._waiting:
            request = self._waiting.popleft()
            if not request.answer.done():
                request.answer.set_result(None)
                return
        self._taken = False

    async def _persist(self, packed: bytes, count: int) -> list[Any]:
        failures, left = 0, 0 if self._away else self._retries
        seconds = self._seconds * (_BRIEFLY if self._away else 1)
        while True:
            try:
                async with asyncio.timeout(seconds):
                    replies = await self._exchange(packed, count)
            except AGAIN as error:
                failures += 1
                if failures > left or isinstance(error, NEVER):
                    raise
                if isinstance(error, TimeoutError):  # maybe its connection alone, so briefly
                    seconds, left = self._seconds * _BRIEFLY, failures
            else:
                self._away = None
                return replies
            # The first retry is at once: most often only the connection was stale.
            pause = min(0.02 * 2**failures, 1.0) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret
            await asyncio.sleep(pause if failures > 1 else 0)

    def _silence(self) -> Exception | None:
        """The error of the last exchange, where it timed out a moment ago; else None."""
        away = self._away
        if away is None or not isinstance(away.error, TimeoutError):
            return None
        passed = asyncio.get_running_loop().time() - away.at
        return away.error.with_traceback(None) if passed < self._seconds * _BRIEFLY else None

    async def _exchange(self, packed: bytes, count: int) -> list[Any]:
        if self._connection is None:
            self._connection = await self._connect()
        try:
            return await self._connection.exchange(packed, count)
        except BaseException:  # replies may still come: this connection is out of step
            self.close()
            raise
