"""Lines in and lines out, over descriptors, in threads that nobody has to wait for.

A thread that is in the middle of a read or a write cannot be told to stop: these may be
left. Neither holds more than a little: whoever does not read is not read from either.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import queue
import threading
from typing import Final, Self

CHUNK: Final = 65_536
AHEAD: Final = 4  # lines that are read before somebody takes them
STDERR: Final = 2

Line = bytes | None  # without its end; None: longer than was said
_Put = tuple[bytes, "asyncio.Future[bool]"]


class LineReader:
    """The lines that come on `source`, each of at most `longest` bytes, until its end."""

    def __init__(self, source: int, longest: int) -> None:
        self._source, self._longest = source, longest
        self._lines: asyncio.Queue[Line | StopAsyncIteration] = asyncio.Queue()
        self._room = threading.Semaphore(AHEAD)
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="parley-lines", daemon=True).start()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Line:
        line = await self._lines.get()
        if isinstance(line, StopAsyncIteration):
            raise line
        self._room.release()
        return line

    def _read(self) -> None:
        """Past `sys.stdin`, whose lock would be held while the process ends."""
        begun = bytearray()
        with contextlib.suppress(RuntimeError):  # the loop is closed
            with contextlib.suppress(OSError):  # the input is
                while chunk := os.read(self._source, CHUNK):
                    *ends, rest = chunk.split(b"\n")
                    for end in ends:
                        self._put(begun + end)
                        begun.clear()
                    begun += rest[: self._longest + 1 - len(begun)]
            if begun:
                self._put(begun)
            self._loop.call_soon_threadsafe(self._lines.put_nowait, StopAsyncIteration())

    def _put(self, line: bytearray) -> None:
        self._room.acquire()
        kept = None if len(line) > self._longest else bytes(line)
        self._loop.call_soon_threadsafe(self._lines.put_nowait, kept)


class LineWriter:
    """What is written to `sink`, in order. Meanwhile others who write there reach stderr.

    `gone` is set once nobody reads any more.
    """

    def __init__(self, sink: int) -> None:
        self.gone = asyncio.Event()
        self._sink = sink
        self._left: queue.SimpleQueue[_Put | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()

    def __enter__(self) -> Self:
        self._own = fcntl.fcntl(self._sink, fcntl.F_DUPFD_CLOEXEC, STDERR + 1)
        os.dup2(STDERR, self._sink)
        threading.Thread(target=self._write, name="parley-answers", daemon=True).start()
        return self

    def __exit__(self, *raised: object) -> None:
        """The descriptor stays with the thread, which may be writing to it."""
        os.dup2(self._own, self._sink)
        self._left.put(None)

    def write(self, data: bytes) -> asyncio.Future[bool]:
        """Write `data`; the future tells, once it is out, whether somebody could read it."""
        out = self._loop.create_future()
        self._left.put((data, out))
        return out

    def _write(self) -> None:
        read = True
        with contextlib.suppress(RuntimeError):  # the loop is closed
            while (item := self._left.get()) is not None:
                read = read and _written(self._own, item[0])
                self._loop.call_soon_threadsafe(self._tell, item[1], read)
        os.close(self._own)

    def _tell(self, out: asyncio.Future[bool], read: bool) -> None:
        if not out.done():
            out.set_result(read)
        if not read:
            self.gone.set()


def _written(sink: int, data: bytes) -> bool:
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(sink, rest) :]
    except OSError:
        return False
    return True
