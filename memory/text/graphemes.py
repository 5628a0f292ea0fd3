"""Where a text may be cut without splitting what a reader sees as one character.

Follows UAX #29 on the safe side: it may refuse a cut that the standard allows,
never the reverse.
"""

from __future__ import annotations

import unicodedata

_VIRAMA = 9  # the combining class of the signs that join Indic consonants


def is_boundary(text: str, index: int) -> bool:
    """True where `text` may be cut into `text[:index]` and `text[index:]`."""
    if index <= 0 or index >= len(text):
        return True
    before, after = text[index - 1], text[index]
    if after.isascii():
        return not (after == "\n" and before == "\r") and not _prepends(before)
    if before.isascii() and not _extends(after):
        return True
    if _extends(after) or before == "\u200d" or unicodedata.combining(before) == _VIRAMA:
        return False
    if _regional(after) and _regional(before):
        return _flags_before(text, index)
    return not (_prepends(before) or _hangul(before, after))


def _extends(char: str) -> bool:
    code = ord(char)
    return (
        unicodedata.category(char) in ("Mn", "Me", "Mc")
        or code in (0x200C, 0x200D, 0xFF9E, 0xFF9F)
        or 0x1F3FB <= code <= 0x1F3FF  # skin tones
        or 0xE0020 <= code <= 0xE007F  # tags, as in subdivision flags
        or char in "\u0e33\u0eb3"  # sara am: letters that belong to what stands before them
    )


def _prepends(char: str) -> bool:
    code = ord(char)
    return (
        0x0600 <= code <= 0x0605
        or code in (0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x0D4E, 0x110BD, 0x110CD)
        or code in (0x111C2, 0x111C3, 0x1193F, 0x11941, 0x11A3A, 0x11D46, 0x11F02)
        or 0x11A84 <= code <= 0x11A89
    )


def _regional(char: str) -> bool:
    return 0x1F1E6 <= ord(char) <= 0x1F1FF


def _flags_before(text: str, index: int) -> bool:
    """True where the regional indicators before `index` make whole flags."""
    start = index
    while start > 0 and _regional(text[start - 1]):
        start -= 1
    return (index - start) % 2 == 0


def _hangul(before: str, after: str) -> bool:
    """True inside a syllable written in parts: anything Hangul, then a vowel or a final."""
    first, two = ord(before), ord(after)
    if 0x1160 <= two <= 0x11FF or 0xD7B0 <= two <= 0xD7FB:
        return 0x1100 <= first <= 0x11FF or 0xA960 <= first <= 0xA97C or 0xAC00 <= first <= 0xD7FB
    leading = 0x1100 <= first <= 0x115F or 0xA960 <= first <= 0xA97C
    return leading and (
        0x1100 <= two <= 0x115F or 0xA960 <= two <= 0xA97C or 0xAC00 <= two <= 0xD7A3
    )
