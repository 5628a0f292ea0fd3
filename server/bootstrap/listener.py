"""The socket that connections are accepted on: a few a turn, and calmly where files run out.

asyncio accepts as many as wait in one turn, each of which takes a file before it can be counted;
and it logs a trace for each that it cannot accept, 2,048 times a second.
"""

from __future__ import annotations

import errno
import logging
import socket
from collections.abc import Callable
from typing import Any, Final

ACCEPTED_A_TURN: Final = 16
_NO_FILES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_NOT_ACCEPTED: Final = "socket.accept() out of system resource"


class Listener(socket.socket):
    """`make_room` is asked to close a connection where no file is left; False: it has none."""

    make_room: Callable[[], bool] = staticmethod(lambda: False)
    _left = ACCEPTED_A_TURN

    def accept(self) -> tuple[socket.socket, Any]:
        """As a socket's, but `BlockingIOError` once the loop is to have others' turns first."""
        if not self._left:
            self._left = ACCEPTED_A_TURN
            raise BlockingIOError
        self._left -= 1
        try:
            return super().accept()
        except OSError as error:
            if error.errno not in _NO_FILES:
                self._left = ACCEPTED_A_TURN
                raise
            made = [self.make_room() for _ in range(ACCEPTED_A_TURN)]
            if any(made):
                self._left = ACCEPTED_A_TURN
                raise BlockingIOError from None
            self._left = 0  # asyncio says so, and asks again in a second
            raise


def _is_short(line: logging.LogRecord) -> bool:
    """Has what asyncio says of files that ran out in one line, without a trace."""
    if str(line.msg).startswith(_NOT_ACCEPTED):
        line.msg, line.args = f"{_NOT_ACCEPTED}: no connection is taken for a second", ()
        line.exc_info = None
    return True


logging.getLogger("asyncio").addFilter(_is_short)
