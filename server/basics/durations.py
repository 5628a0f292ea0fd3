"""Spans of time as people write them: `90s`, `30m`, `2h`, `1d`; and times in words."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from parley.server.basics.errors import Misuse

_UNITS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 7 * 86_400}
_WORDS: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
_SPAN: Final = re.compile(r"(?:[1-9][0-9]{0,8}[smhdw])+|[1-9][0-9]{0,8}")
_PART: Final = re.compile(r"([0-9]+)([smhdw]?)")


def parse_duration(text: str) -> int:
    """The seconds of `90` or `90s`, `30m`, `2h`, `1d`, `1w`, `1h30m`. Raises `Misuse`."""
    word = text.strip().casefold().replace(" ", "")
    if _SPAN.fullmatch(word) is None:
        raise Misuse(f"{text!r} is no time; write 90s, 30m, 2h, 1d or 1h30m")
    return sum(int(number) * _UNITS[unit or "s"] for number, unit in _PART.findall(word))


def duration_text(seconds: int) -> str:
    """`seconds` in its largest units, at most two: `1 day`, `2 hours 30 minutes`."""
    words = []
    for size, name in _WORDS:
        count, seconds = divmod(seconds, size)
        if count:
            words.append(f"{count} {name}{'' if count == 1 else 's'}")
    return " ".join(words[:2]) or "0 seconds"


def local_minute(ms: int) -> str:
    """Unix time in the zone of this machine, to the minute: `2026-05-03 17:00`."""
    return f"{datetime.fromtimestamp(ms / 1000, UTC).astimezone():%Y-%m-%d %H:%M}"
