"""Names that look alike and are not the same: a key that they share.

Two names are one person's only if they are equal after the plain rules of names. Names that are
equal by this key alone are kept apart, and a person is told of them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

# Letters of Cyrillic and Greek, in small letters, that look like a Latin one.
_CYRILLIC: Final = dict(zip("авекмнорстухіјѕһԁԛԝьӏ", "abekmhopctyxijshdqwbl", strict=True))
_GREEK: Final = dict(zip("αβεηικμνορτυχωγ", "abenikuvoptuxwy", strict=True))
_LIKE_LATIN: Final = str.maketrans({
    **_CYRILLIC, **_GREEK, "ı": "i", "ɑ": "a", "ɡ": "g", "0": "o", "1": "l", "|": "l",
})  # fmt: skip


def look_alike_key(name: str) -> str:
    """The same text for names that a person takes for each other.

    After NFKC, without format characters and outer blanks, inner blanks as one, case folded,
    and with letters of Cyrillic and Greek as the Latin ones that they look like.
    """
    apart = unicodedata.normalize("NFKD", name)  # letters without their accents, which follow them
    seen = "".join(each for each in apart if unicodedata.category(each) != "Cf")
    folded = unicodedata.normalize("NFKD", " ".join(seen.split()).casefold())
    return unicodedata.normalize("NFKC", folded.translate(_LIKE_LATIN))


def find_look_alikes(names: Iterable[str]) -> list[tuple[str, ...]]:
    """The groups of different names that look alike, in the order of their first."""
    groups: dict[str, dict[str, None]] = {}
    for name in names:
        groups.setdefault(look_alike_key(name), {})[name] = None
    return [tuple(group) for group in groups.values() if len(group) > 1]
