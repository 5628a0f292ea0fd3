"""How far a client of a live stream has heard a session, as it keeps it. Pure."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

CURSOR_PATTERN: Final = r"^[0-9]{1,16}(-[0-9a-f]{8})?$"
_CURSOR: Final = re.compile(CURSOR_PATTERN)


class StreamCursor(NamedTuple):
    """The seq of the entry heard last, and its mark; "" for a seq alone, which nobody can check.

    Written `41-9f3c07aa`, or `41`.
    """

    seq: int
    mark: str = ""

    def __str__(self) -> str:
        return f"{self.seq}-{self.mark}" if self.mark else str(self.seq)


def parse_cursor(given: str | int | None) -> StreamCursor | None:
    """The cursor that `given` is; None for what is none."""
    if isinstance(given, int):
        return StreamCursor(given)
    if given is None or not _CURSOR.fullmatch(given):
        return None
    seq, _, mark = given.partition("-")
    return StreamCursor(int(seq), mark)
