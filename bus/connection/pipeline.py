"""Many tasks on one connection: whoever finds it free sends for all who wait.

A request that comes while an exchange is under way waits for its end, and then
all that wait go out together: the busier the process, the fewer round trips.
redis-py's own pipeline and pool cost three times as much per command, and its
socket timeout sends through asyncio.wait_for, which in Python 3.11 swallows
cancellations; so the deadline and the retries are here. Futures and the timeout are
asyncio's, since every command passes them: anyio has nothing as cheap.

Every request must be safe to send twice: a lost reply is asked for again.

A server that stayed away for all of that is known to be away: whoever waits is told with
the one that tried, and until it answers again each request is tried once and briefly.
Else each would take as long by itself, one after the other.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import anyio
import redis.asyncio as redis
from hiredis import pack_command
from redis import exceptions

Argument = str | bytes | int
Command = Sequence[Argument]

# hiredis 3.5 types its tuple as having one element
_packed: Final = cast("Callable[[tuple[Argument, ...]], bytes]", pack_command)
_MOST: Final = 256  # commands in one exchange; more would only delay the first answer
_BRIEFLY: Final = 0.2  # of the time of an exchange, for a server that did not answer the last one
_SILENT: Final = (exceptions.TimeoutError, TimeoutError)  # it is there, and says nothing
AGAIN: Final = (exceptions.ConnectionError, OSError, *_SILENT)
NEVER: Final = (exceptions.AuthenticationError, exceptions.AuthorizationError)


@dataclass(slots=True, eq=False)
class _Request:
    """`count` commands, packed by whoever asks: what cannot be packed fails its own caller."""

    packed: bytes
    count: int
    answer: asyncio.Future[list[Any] | None]  # None: send it yourself, the connection is yours


@dataclass(frozen=True, slots=True)
class _Away:
    """Why the server could not be reached the last time, and when that was."""

    error: Exception
    at: float


class Pipeline:
    """One connection of `pool`, shared; opened at its first use.

    An exchange has `seconds`, and is tried `retries` times more; one more after silence.
    """

    def __init__(self, pool: redis.ConnectionPool, seconds: float, retries: int) -> None:
        self._pool = pool
        self._seconds = seconds
        self._retries = retries
        self._connection: Any = None  # redis-py 8.1 names no public type for it
        self._waiting: deque[_Request] = deque()
        self._taken = False
        self._away: _Away | None = None  # since the newest exchange was given up

    async def send(self, commands: Sequence[Command]) -> list[Any]:
        """The raw replies of `commands`, in order; a refused one's is its exception.

        Raises redis' own error where the server could not be reached.
        """
        # redis-py 8.1 packs in Python on asyncio, hiredis in a third of the time
        packed = b"".join([_packed(tuple(words)) for words in commands])
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
                if isinstance(error, _SILENT):  # maybe its connection alone; no need to wait long
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
        if away is None or not isinstance(away.error, _SILENT):
            return None
        passed = asyncio.get_running_loop().time() - away.at
        return away.error.with_traceback(None) if passed < self._seconds * _BRIEFLY else None

    async def _exchange(self, packed: bytes, count: int) -> list[Any]:
        if self._connection is None:
            self._connection = await self._pool.get_connection()  # type: ignore[no-untyped-call]  # untyped in redis-py 8.1
        connection = self._connection
        if not connection.is_connected:
            await connection.connect()  # sending would do it, but without asking Sentinels anew
        replies: list[Any] = []
        try:
            await connection.send_packed_command(packed)
            for _ in range(count):
                try:
                    replies.append(await connection.read_response())
                except exceptions.ResponseError as error:
                    replies.append(error)
        except BaseException:  # replies may still come: this connection is out of step
            with anyio.CancelScope(shield=True):
                await connection.disconnect(nowait=True)
            raise
        return replies
