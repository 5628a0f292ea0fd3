"""Cursors: how far a subscriber has read a session. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from parley.bus.contract.errors import InvalidEntry

_LAST: Final = 2**53 - 1  # the highest number that Redis' scripts count exactly


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last entry received, by seq, and the last fact received, by (seq, k).

    Written `12/9-0`. A `k` of -1 is before the first fact of that entry.
    """

    seq: int
    fact: tuple[int, int]

    def __str__(self) -> str:
        return f"{self.seq}/{self.fact[0]}-{self.fact[1]}"

    @classmethod
    def parse(cls, text: str) -> Cursor:
        """The cursor that `str` wrote as `text`. Raises `InvalidEntry` for any other text."""
        try:
            seq, fact = text.split("/")
            of, k = fact.split("-", 1)
            cursor = cls(int(seq), (int(of), int(k)))
        except ValueError:
            cursor = None
        if cursor is None or str(cursor) != text or max(cursor.seq, *cursor.fact) > _LAST:
            raise InvalidEntry(f"{text!r} is no cursor; one looks like '12/9-0'")
        return cursor

    @classmethod
    def after(cls, seq: int) -> Cursor:
        """Past entry `seq` and its facts."""
        return cls(seq, (seq + 1, -1))
