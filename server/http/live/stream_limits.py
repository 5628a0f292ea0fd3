"""All live streams of this process: how many there are, that they live, and how they end.

Three tasks serve all of them: one keeps idle connections open with a comment now and
then, and ends every stream once the server is told to close; one ends the streams whose tokens
expire; one those whose tokens are revoked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, Protocol

import anyio

from parley.bus.connection.tasks import Child, TaskHost
from parley.bus.contract.errors import BusError
from parley.server.http.live.client_queue import Ending
from parley.server.http.live.task_deaths import log_death
from parley.server.http.problems.problem_details import Problem
from parley.server.http.tokens.callers import Caller
from parley.server.http.tokens.revocations import STALE_SECONDS, Revocations

OF_A_TOKEN: Final = 32
BEAT_SECONDS: Final = 15.0
_SLICE: Final = 500  # streams that get their comment in one go
RETRY_SECONDS: Final = 5.0
_NEVER: Final = float("inf")


class Stream(Protocol):
    """What is told here to end, or that time passed."""

    def end(self, why: Ending) -> None: ...

    def beat(self) -> None: ...


class StreamLimits:
    """At most `most` in all, and `OF_A_TOKEN` of each."""

    def __init__(
        self, closing: anyio.Event, clock: Callable[[], float], most: int, revocations: Revocations
    ) -> None:
        self._closing, self._clock, self._most = closing, clock, most
        self._revocations = revocations
        self._callers: dict[Stream, Caller] = {}
        self._open: dict[Stream, float] = {}  # when its token expires, by the clock of the loop
        self._places = 0
        self._by_token: dict[str, int] = {}
        self._host = TaskHost("parley-streams", log_death)
        self._beating: Child | None = None
        self._expiring: Child | None = None
        self._revoking: Child | None = None
        self._next_expiry = _NEVER
        self._earlier = anyio.Event()  # a stream came that expires before all others
        self._none = anyio.Event()

    def __len__(self) -> int:
        return self._places

    @contextmanager
    def reserve(self, caller: Caller) -> Iterator[None]:
        """Take a place for a stream. Raises `Problem` `streams` where there is none."""
        if self._closing.is_set():
            raise Problem("unavailable", retry_after=RETRY_SECONDS)
        if self._places >= self._most:
            raise Problem("streams", limit=self._most, retry_after=RETRY_SECONDS)
        if self._by_token.get(caller.jti, 0) >= OF_A_TOKEN:
            raise Problem("streams", limit=OF_A_TOKEN, retry_after=RETRY_SECONDS)
        if not self._places:
            self._none = anyio.Event()
        self._places += 1
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
        expiry = anyio.current_time() + caller.expires - self._clock()
        self._open[stream], self._callers[stream] = expiry, caller
        if self._closing.is_set():
            stream.end("shutdown")
        else:
            self._serve(expiry)
        try:
            yield
        finally:
            del self._open[stream], self._callers[stream]

    async def wait_empty(self, seconds: float) -> None:
        """Return once no stream is open, or when `seconds` are over."""
        with anyio.move_on_after(seconds):
            while self._places:
                await self._none.wait()

    async def aclose(self) -> None:
        await self._host.aclose()

    def _serve(self, expiry: float) -> None:
        """Have the tasks at work, for a stream that expires then too."""
        if self._revoking is None or self._revoking.is_over:
            self._revoking = self._host.start("parley-revocations", self._end_revoked)
        if self._beating is None or self._beating.is_over:
            self._beating = self._host.start("parley-beats", self._beat_and_close)
        if self._expiring is None or self._expiring.is_over:
            self._expiring = self._host.start("parley-expiries", self._end_expired)
        elif expiry < self._next_expiry:
            self._earlier.set()

    async def _beat_and_close(self) -> None:
        while not self._closing.is_set():
            every = list(self._open)
            slices = [every[at : at + _SLICE] for at in range(0, len(every), _SLICE)] or [[]]
            for some in slices:
                if await self._closes_within(BEAT_SECONDS / len(slices)):
                    break
                for stream in some:
                    if stream in self._open:
                        stream.beat()
        for stream in list(self._open):
            stream.end("shutdown")

    async def _closes_within(self, seconds: float) -> bool:
        with anyio.move_on_after(seconds):
            await self._closing.wait()
        return self._closing.is_set()

    async def _end_expired(self) -> None:
        while self._open:
            now = anyio.current_time()
            for stream, expiry in self._open.items():
                if expiry <= now:
                    self._open[stream] = _NEVER
                    stream.end("expired")
            self._next_expiry, self._earlier = min(self._open.values()), anyio.Event()
            with anyio.CancelScope(deadline=self._next_expiry):
                await self._earlier.wait()

    async def _end_revoked(self) -> None:
        while self._open:
            await anyio.sleep(STALE_SECONDS)
            with suppress(BusError):  # asked again in a moment
                await self._revocations.refresh()
            for stream, caller in list(self._callers.items()):
                if self._revocations.is_revoked(caller.jti):
                    stream.end("expired")
