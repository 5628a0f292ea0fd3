"""Sizes as people write them: `500`, `64KiB`, `1.5GiB`."""

from __future__ import annotations

import re
from typing import Final

from parley.server.basics.errors import Misuse

_UNITS: Final = ("", "k", "m", "g", "t")
_SIZE: Final = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,3})?)([kmgt]?)i?b?")


def parse_size(text: str) -> int:
    """The bytes of `500`, `64KiB`, `1.5GiB`; units are powers of 1,024. Raises `Misuse`."""
    match = _SIZE.fullmatch(text.strip().casefold().replace(" ", ""))
    if match is None:
        raise Misuse(f"{text!r} is no size; write 500, 64KiB, 20MiB or 1.5GiB")
    unit: int = 1024 ** _UNITS.index(match[2])
    return round(float(match[1]) * unit)


def size_text(bytes: int) -> str:
    """`bytes` in the largest unit of which there is one: `1.5 GiB`."""
    size, power = float(bytes), 0
    while size >= 1024 and power < len(_UNITS) - 1:
        size, power = size / 1024, power + 1
    unit = f"{_UNITS[power].upper()}iB" if power else "B"
    return f"{size:.1f} {unit}".replace(".0 ", " ")
