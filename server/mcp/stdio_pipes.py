"""Lines in and lines out, over descriptors, in threads that nobody has to wait for.

A thread that is in the middle of a read or a write cannot be told to stop: these may be
left. Neither holds more than a little: whoever does not read is not read from either.

asyncio by name, for its loop: through anyio a thread gives nothing to a loop without
waiting for it, and these go on where the loop has ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import queue
import threading
from collections import deque
from collections.abc import Callable
from typing import Final, Self

import anyio

_CHUNK: Final = 65_536
AHEAD: Final = 4  # lines that are read before somebody takes them
_STDERR: Final = 2

Line = bytes | None  # without its end; None: longer than was said


class LineReader:
    """The lines that come on `source`, each of at most `longest` bytes, until its end."""

    def __init__(self, source: int, longest: int) -> None:
        self._source, self._longest = source, longest
        self._lines: deque[Line] = deque()
        self._is_over = False
        self._news = anyio.Event()  # for the one who reads
        self._room = threading.Semaphore(AHEAD)
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="parley-lines", daemon=True).start()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Line:
        while not self._lines:
            if self._is_over:
                raise StopAsyncIteration
            self._news = anyio.Event()
            await self._news.wait()
        self._room.release()
        return self._lines.popleft()

    def _read(self) -> None:
        """Past `sys.stdin`, whose lock would be held while the process ends."""
        begun = bytearray()
        with contextlib.suppress(RuntimeError):  # the loop is closed
            with contextlib.suppress(OSError):  # the input is
                while chunk := os.read(self._source, _CHUNK):
                    *ends, rest = chunk.split(b"\n")
                    for end in ends:
                        self._put(begun + end)
                        begun.clear()
                    begun += rest[: self._longest + 1 - len(begun)]
            if begun:
                self._put(begun)
            self._loop.call_soon_threadsafe(self._end)

    def _put(self, line: bytearray) -> None:
        self._room.acquire()
        kept = None if len(line) > self._longest else bytes(line)
        self._loop.call_soon_threadsafe(self._append, kept)

    def _append(self, line: Line) -> None:
        self._lines.append(line)
        self._news.set()

    def _end(self) -> None:
        self._is_over = True
        self._news.set()


class WrittenLine:
    """Something given to a `LineWriter`: once `out` is set `was_readable` is right.

    `on_out` is called then, whoever waits for it or does not any more.
    """

    def __init__(self, data: bytes, on_out: Callable[[], None] | None) -> None:
        self.data, self.on_out = data, on_out
        self.out = anyio.Event()
        self.was_readable = False


class LineWriter:
    """What is written to `sink`, in order. Meanwhile others who write there reach stderr.

    `gone` is set once nobody reads any more.
    """

    def __init__(self, sink: int) -> None:
        self.gone = anyio.Event()
        self._sink = sink
        self._left: queue.SimpleQueue[WrittenLine | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()

    def __enter__(self) -> Self:
        self._own = fcntl.fcntl(self._sink, fcntl.F_DUPFD_CLOEXEC, _STDERR + 1)
        os.dup2(_STDERR, self._sink)
        threading.Thread(target=self._write, name="parley-answers", daemon=True).start()
        return self

    def __exit__(self, *raised: object) -> None:
        """The descriptor stays with the thread, which may be writing to it."""
        os.dup2(self._own, self._sink)
        self._left.put(None)

    def write(self, data: bytes, on_out: Callable[[], None] | None = None) -> WrittenLine:
        """Write `data` in its turn, without being waited for."""
        line = WrittenLine(data, on_out)
        self._left.put(line)
        return line

    def _write(self) -> None:
        readable = True
        with contextlib.suppress(RuntimeError):  # the loop is closed
            while (line := self._left.get()) is not None:
                readable = readable and _write_whole(self._own, line.data)
                self._loop.call_soon_threadsafe(self._finish, line, readable)
        os.close(self._own)

    def _finish(self, line: WrittenLine, readable: bool) -> None:
        line.was_readable = readable
        line.out.set()
        if line.on_out is not None:
            line.on_out()
        if not readable:
            self.gone.set()


def _write_whole(sink: int, data: bytes) -> bool:
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(sink, rest) :]
    except OSError:
        return False
    return True
