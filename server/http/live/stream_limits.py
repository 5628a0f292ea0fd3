"""All live streams of this process: how many there are, that they live, and how they end.

One task serves all of them: it keeps idle connections open with a comment now and
then, and ends every stream once the server is told to close.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from parley.bus.connection.tasks import cancel_and_wait
from parley.server.http.live.client_queue import Ending
from parley.server.http.problems.problem_details import Problem
from parley.server.http.tokens.callers import Caller

OF_A_TOKEN: Final = 32
BEAT_SECONDS: Final = 15.0
SLICE: Final = 500  # streams that get their comment in one go
RETRY_SECONDS: Final = 5.0
LONGEST_SECONDS: Final = 100 * 24 * 3600.0  # of a timer; no token lasts as long


class Stream(Protocol):
    """What is told here to end, or that time passed."""

    def end(self, why: Ending) -> None: ...

    def beat(self) -> None: ...


class StreamLimits:
    """At most `most` in all, and `OF_A_TOKEN` of each."""

    def __init__(self, closing: asyncio.Event, clock: Callable[[], float], most: int) -> None:
        self._closing, self._clock, self._most = closing, clock, most
        self._open: dict[Stream, None] = {}
        self._places = 0
        self._by_token: dict[str, int] = {}
        self._task: asyncio.Task[None] | None = None
        self._none = asyncio.Event()
        self._none.set()

    def __len__(self) -> int:
        return self._places

    @contextmanager
    def reserve(self, caller: Caller) -> Iterator[None]:
        """One of the places. Raises `Problem` `streams` where there is none."""
        if self._closing.is_set():
            raise Problem("unavailable", retry_after=RETRY_SECONDS)
        if self._places >= self._most:
            raise Problem("streams", limit=self._most, retry_after=RETRY_SECONDS)
        if self._by_token.get(caller.jti, 0) >= OF_A_TOKEN:
            raise Problem("streams", limit=OF_A_TOKEN, retry_after=RETRY_SECONDS)
        self._places += 1
        self._none.clear()
        self._by_token[caller.jti] = self._by_token.get(caller.jti, 0) + 1
        try:
            yield
        finally:
            self._places -= 1
            if not self._places:
                self._none.set()
            self._by_token[caller.jti] -= 1
            if not self._by_token[caller.jti]:
                del self._by_token[caller.jti]

    @contextmanager
    def register(self, stream: Stream, caller: Caller) -> Iterator[None]:
        """Have `stream` told while the body runs; it ends with the caller's token."""
        left = min(max(caller.expires - self._clock(), 0), LONGEST_SECONDS)
        timer = asyncio.get_running_loop().call_later(left, stream.end, "expired")
        self._open[stream] = None
        if self._closing.is_set():
            stream.end("shutdown")
        elif self._task is None or self._task.done():
            self._task = asyncio.create_task(self._beat_and_close(), name="parley-streams")
        try:
            yield
        finally:
            timer.cancel()
            del self._open[stream]

    async def wait_empty(self, seconds: float) -> None:
        """Return once no stream is open, or when `seconds` are over."""
        try:
            async with asyncio.timeout(seconds):
                await self._none.wait()
        except TimeoutError:
            return

    async def aclose(self) -> None:
        if self._task is not None:
            await cancel_and_wait(self._task)

    async def _beat_and_close(self) -> None:
        while not self._closing.is_set():
            every = list(self._open)
            slices = [every[at : at + SLICE] for at in range(0, len(every), SLICE)] or [[]]
            for some in slices:
                if await self._closes_within(BEAT_SECONDS / len(slices)):
                    break
                for stream in some:
                    if stream in self._open:
                        stream.beat()
        for stream in list(self._open):
            stream.end("shutdown")

    async def _closes_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._closing.wait()
        except TimeoutError:
            return False
        return True
