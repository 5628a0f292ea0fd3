"""A text without what nobody reads: vowel points, direction marks, loose accents.

"שָׁלוֹם" and "שלום" are one word, and so are "é" in one character and in two, or
half-width and full kana. A direction mark inside a word is no part of it. What is
found in the bare text is told in places of the original.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

Span = tuple[int, int]

# Soft hyphen, zero width space, word joiner, byte order mark; marks, embeddings,
# overrides and isolates of direction. Joiners stay: they are part of emoji.
_MARKS: Final = "\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
# Hebrew points and accents; U+05BE, U+05C0, U+05C3 and U+05C6 between them are punctuation.
_POINTS: Final = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
_LOOSE: Final = "\u0300-\u036f\u3099\u309a\uff9e\uff9f"  # accents and (semi-)voiced sound marks

_UNREAD: Final = re.compile(
    rf"(?P<points>[{_POINTS}]+)|[{_MARKS}]+|(?P<cluster>[^\W\d_][{_LOOSE}]{{1,4}})"
)


@dataclass(frozen=True, slots=True)
class BareText:
    """`text` as it is read; `starts` and `ends` are its characters' places in the original."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def original(self, start: int, end: int) -> Span:
        """The span of the original that `start`..`end` was made of, with its points."""
        if start >= end:
            at = self.starts[start] if start < len(self.starts) else self._length()
            return at, at
        return self.starts[start], self.ends[end - 1]

    def _length(self) -> int:
        return self.ends[-1] if self.ends else 0


def strip_marks(text: str) -> BareText | None:
    """`text` without its points and marks, accents composed; None where that changes nothing."""
    if _UNREAD.search(text) is None:
        return None
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for match in _UNREAD.finditer(text):
        start, end = match.span()
        if match["points"] and start == at and ends:
            ends[-1] = end
        composed = _composed(match["cluster"]) if match["cluster"] else ""
        kept = text[at:end] if composed is None else text[at:start]
        pieces.append(kept)
        starts.extend(range(at, at + len(kept)))
        ends.extend(range(at + 1, at + len(kept) + 1))
        if match["points"] and start > at:
            ends[-1] = end
        if composed:
            pieces.append(composed)
            starts.append(start)
            ends.append(end)
        at = end
    pieces.append(text[at:])
    starts.extend(range(at, len(text)))
    ends.extend(range(at + 1, len(text) + 1))
    read = "".join(pieces)
    return None if read == text else BareText(read, tuple(starts), tuple(ends))


def _composed(cluster: str) -> str | None:
    """The one character that a letter with its accents is; None where there is none.

    By the data of Unicode 3.2, the same in every Python, as in `plain_text.plain`.
    """
    whole = unicodedata.ucd_3_2_0.normalize("NFKC", cluster)
    return whole if len(whole) == 1 else None
