"""One client's bounded queue of frames."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

import anyio

from parley.server.http.live.frames import BEAT, Frame, Group

FRAMES: Final = 1_000
BYTES: Final = 4 << 20

Ending = Literal["slow", "expired", "shutdown", "gone", "left"]


class ClientQueue:
    """Nobody waits for it: over its limit it is dropped.

    One reader. `ended` says why nothing follows what is queued.
    """

    __slots__ = ("_bytes", "_most", "_most_bytes", "_news", "_queue", "_show", "ended")

    def __init__(self, show: frozenset[Group] | None = None) -> None:
        self.ended: Ending | None = None
        self._show = show
        self._queue: list[Frame] = []
        self._bytes = 0
        self._most, self._most_bytes = FRAMES, BYTES
        self._news: anyio.Event | None = None  # of the reader, while it waits

    def accepts(self, frame: Frame) -> bool:
        """Whether the client asked for its group; notices have none and always pass."""
        return self._show is None or frame.group is None or frame.group in self._show

    def put(self, frame: Frame) -> None:
        """Queue it, where it is wanted. A frame longer than the limit passes alone."""
        if self.ended is not None or not self.accepts(frame):
            return
        self._queue.append(frame)
        self._bytes += len(frame.data)
        waiting = len(self._queue)
        if waiting > self._most or (self._bytes > self._most_bytes and waiting > 1):
            self._clear()
            self.ended = "slow"
        self._wake()

    def prefill(self, frames: Iterable[Frame]) -> None:
        """Begin with `frames`: they are shared with others and count towards no limit."""
        self._queue += [frame for frame in frames if self.accepts(frame)]
        self._bytes += sum(len(frame.data) for frame in self._queue)
        self._most, self._most_bytes = FRAMES + len(self._queue), BYTES + self._bytes
        self._wake()

    def replace_with(self, frame: Frame) -> None:
        """What is queued does not stand any more: `frame` is next."""
        self._clear()
        self.put(frame)

    def beat(self) -> None:
        """Say that the stream is alive, where nothing else does."""
        if not self._queue:
            self.put(BEAT)

    def end(self, why: Ending) -> None:
        """End the queue: nothing more comes; the first reason counts."""
        if self.ended is None:
            self.ended = why
            self._wake()

    async def frames(self) -> list[Frame]:
        """What is queued, at least one; waits for it. Empty once all is said and it ended."""
        while not self._queue:
            if self.ended is not None:
                return []
            self._news = anyio.Event()
            try:
                await self._news.wait()
            finally:
                self._news = None
        taken = self._queue
        self._clear()
        return taken

    def _clear(self) -> None:
        self._queue, self._bytes = [], 0
        self._most, self._most_bytes = FRAMES, BYTES

    def _wake(self) -> None:
        if self._news is not None:
            self._news.set()
