"""How many values a JSON text holds, counted before it is read.

Reading holds up everybody else, and takes time by the values rather than by the bytes: a
mebibyte of words is read in a millisecond, one of empty lists in fifty, and what is made of
them takes longer still. In a thread it would hold them up alike, since reading JSON lets no
other thread run.
"""

from __future__ import annotations

import re
from typing import Final

from parley.server.http.problems.problem_details import Problem

VALUES: Final = 65_536  # 500 entries with a hundred names each, and more
PIECE: Final = 1 << 16  # bytes; what has too many values is known to before all is looked at
_DETAIL: Final = "There are more values in the body than any request needs."
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


class ValueCount:
    """The values in the pieces of a text so far: one more for each `,`, `[` and `{` outside of
    strings, which is at least as many as there are."""

    def __init__(self) -> None:
        self._count = 0
        self._open = b""  # the beginning of a string that goes on in the next piece

    def add(self, piece: bytes) -> None:
        """Count the next piece. Raises `Problem` `too-large` once there are too many."""
        bare, quote, string = _STRING.sub(b"", self._open + piece).partition(b'"')
        escapes = (len(string) - len(string.rstrip(b"\\"))) % 2
        self._open = quote + b"\\" * escapes
        self._count += sum(bare.count(mark) for mark in (b",", b"[", b"{"))
        if self._count > VALUES:
            raise Problem("too-large", limit=VALUES, detail=_DETAIL)


def check_value_count(text: bytes) -> None:
    """Raises `Problem` `too-large` for a JSON text of more than `VALUES` values."""
    count = ValueCount()
    for start in range(0, len(text), PIECE):
        count.add(text[start : start + PIECE])
