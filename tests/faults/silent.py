"""Connections that never come to a request, again and again: `python -m tests.faults.silent`.

`COUNT` are kept open from one address: such as say nothing, send a head or a body a byte at a
time, or begin as TLS does. What the server closes is opened anew, `ANEW` of them a second.
"""

from __future__ import annotations

import selectors
import socket
import sys
import time
from contextlib import suppress
from typing import Final

ANEW: Final = 100  # a second
_LOOK_SECONDS: Final = 0.01
_FIRST: Final = 50  # opened in one go, until all are
_TRICKLE_SECONDS: Final = 1.0  # between two bytes of one connection
_HEAD: Final = b"POST /v1/tokens HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: */*\r\n"
_TLS: Final = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"


class Attack:
    """Up to `count` connections to `port`, which are never closed from this side."""

    def __init__(self, port: int, count: int) -> None:
        self._port, self._count = port, count
        self._looked_at = selectors.DefaultSelector()
        self._open: dict[socket.socket, float] = {}
        self.made = 0

    def turn(self, allowed: int) -> int:
        """Let go of what the server closed, open up to `allowed` anew, send what trickles."""
        for key, _ in self._looked_at.select(0):
            pipe = key.fileobj
            assert isinstance(pipe, socket.socket)
            try:
                alive = bool(pipe.recv(4096))
            except OSError:
                alive = False
            if not alive:
                self._close(pipe)
        made = min(allowed, self._count - len(self._open))
        for _ in range(made):
            self._begin()
        now = time.monotonic()
        for pipe in [pipe for pipe, due in self._open.items() if due <= now]:
            self._open[pipe] = now + _TRICKLE_SECONDS
            with suppress(OSError):
                pipe.send(b"x")
        return made

    def _begin(self) -> None:
        pipe = socket.socket()
        pipe.setblocking(False)
        with suppress(BlockingIOError):
            pipe.connect(("127.0.0.1", self._port))
        kinds = (b"", _HEAD % self._port, _HEAD % self._port + b"Content-Length: 99\r\n\r\n", _TLS)
        first = kinds[self.made % len(kinds)]
        with suppress(OSError):
            pipe.send(first)
        silent = first in (b"", _TLS)
        self._open[pipe] = float("inf") if silent else time.monotonic() + _TRICKLE_SECONDS
        self._looked_at.register(pipe, selectors.EVENT_READ)
        self.made += 1

    def _close(self, pipe: socket.socket) -> None:
        self._looked_at.unregister(pipe)
        del self._open[pipe]
        pipe.close()


def main() -> None:
    port, count, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    attack = Attack(port, count)
    while attack.made < count:
        attack.turn(_FIRST)
        time.sleep(_LOOK_SECONDS)
    began = time.monotonic()
    print("open", flush=True)
    while (passed := time.monotonic() - began) < seconds:
        attack.turn(max(0, int(passed * ANEW) - attack.made + count))
        time.sleep(_LOOK_SECONDS)


if __name__ == "__main__":
    main()
