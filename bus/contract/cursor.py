"""Cursors: how far a subscriber has read a session. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from parley.bus.contract.errors import InvalidEntry

_MARK: Final = re.compile(r"(?:[0-9a-f]{8})?")
_LAST: Final = 2**53 - 1  # the highest number that Redis' scripts count exactly


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last entry received, by seq, and the last fact received, by (seq, k).

    Written `12/9-0/9f3c07aa`. A `k` of -1 is before the first fact of that entry. `mark` is
    that of the entry: a log that has another there by now resumes nothing. Without it, as in
    `12/9-0`, nobody checks.
    """

    seq: int
    fact: tuple[int, int]
    mark: str = field(default="", compare=False)

    def __str__(self) -> str:
        text = f"{self.seq}/{self.fact[0]}-{self.fact[1]}"
        return f"{text}/{self.mark}" if self.mark else text

    @classmethod
    def parse(cls, text: str) -> Cursor:
        """The cursor that `str` wrote as `text`. Raises `InvalidEntry` for any other text."""
        try:
            seq, fact, *mark = text.split("/", 2)
            of, k = fact.split("-", 1)
            cursor = cls(int(seq), (int(of), int(k)), *mark)
        except ValueError:
            cursor = None
        if (
            cursor is None
            or str(cursor) != text
            or max(cursor.seq, *cursor.fact) > _LAST
            or not _MARK.fullmatch(cursor.mark)
        ):
            raise InvalidEntry(f"{text!r} is no cursor; one looks like '12/9-0/9f3c07aa'")
        return cursor

    @classmethod
    def after(cls, seq: int) -> Cursor:
        """Past entry `seq` and its facts. Raises `InvalidEntry` for what numbers no entry."""
        if not 0 <= seq <= _LAST:
            raise InvalidEntry(f"{seq} numbers no entry; a seq is from 0 to {_LAST}")
        return cls(seq, (seq + 1, -1))
