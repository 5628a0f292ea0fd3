"""How large a text is: in characters, bytes, or tokens by a counter of our own. Pure."""

from __future__ import annotations

import re
import string
from bisect import bisect_right
from typing import Final, Literal

Unit = Literal["chars", "bytes", "tokens", "items"]

COUNTER: Final = "chars@1"  # what `count_tokens` computes; it belongs to the fold version

# Hundredths of a token by class of character; deleting a class is the fastest way to
# count it. Fitted to passages of many kinds (benchmarks/samples.py) so that of two
# current vocabularies neither is further off than the other. English runs at 4.6
# characters a token; capitals are acronyms, or begin a word that the vocabulary has
# rarely; one vocabulary takes digits one by one, the other by threes; a line feed is a
# token or half of one, near enough to a digit to share its class; a mark often shares a
# token with its neighbour. The decision record 0012 tells what else was tried.
_LOWER, _UPPER, _DIGIT, _MARK = 19, 42, 97, 57
_TO_UPPER, _TO_DIGIT, _TO_MARK = _UPPER - _LOWER, _DIGIT - _UPPER, _MARK - _DIGIT
_LOWER_CASE: Final = (string.ascii_lowercase + " ").encode()
_UPPER_CASE: Final = string.ascii_uppercase.encode()
_DIGITS: Final = (string.digits + "\n").encode()


def measure_text(text: str, unit: Unit) -> int:
    """The size of `text`: characters, UTF-8 bytes, tokens by "chars@1", or 1 item.

    Tokens are an estimate in integer arithmetic; the parts of a text never
    measure less than the whole, nor a text less than its beginning.
    """
    match unit:
        case "chars":
            return len(text)
        case "bytes":
            return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        case "tokens":
            return count_tokens(text)
        case "items":
            return 1
    raise ValueError(f"unit {unit!r}: use chars, bytes, tokens or items")


def count_tokens(text: str) -> int:
    """`measure(text, "tokens")`, for those who measure much."""
    if text.isascii():
        whole, beyond = text.encode(), 99
    else:
        whole = text.encode("ascii", "ignore")
        beyond = sum(map(_WEIGHTS.__getitem__, _ASCII.sub("", text)), 99)
    rest = whole.translate(None, _LOWER_CASE)
    small = rest.translate(None, _UPPER_CASE)
    return (
        beyond
        + len(whole) * _LOWER
        + len(rest) * _TO_UPPER
        + len(small) * _TO_DIGIT
        + len(small.translate(None, _DIGITS)) * _TO_MARK
    ) // 100


_ASCII: Final = re.compile(r"[\x00-\x7f]+")

# From which code point on a character beyond ASCII weighs what. Blocks, and not what
# Python knows of a character, because that grows with every Python.
_BLOCKS: Final = (
    (0x80, 95),  # signs of Latin-1
    (0xC0, 45),  # letters of western Europe
    (0x100, 100),  # rarer Latin letters
    (0x370, 38),  # Greek
    (0x400, 24),  # Cyrillic
    (0x530, 30),  # Armenian
    (0x590, 43),  # Hebrew
    (0x600, 28),  # Arabic
    (0x900, 40),  # South and South-East Asia, Georgian
    (0x1100, 100),
    (0x1E00, 60),  # Vietnamese, Greek with accents
    (0x2000, 105),  # quotation marks, dashes, ellipses
    (0x2070, 92),  # arrows, signs, frames
    (0x2E80, 67),  # ideographic punctuation
    (0x3040, 70),  # kana
    (0x3100, 100),
    (0x4E00, 69),  # ideographs
    (0xA000, 100),
    (0xAC00, 58),  # Hangul
    (0xD7A4, 100),
    (0xFF00, 67),  # full width
    (0x10000, 350),  # rare scripts and ideographs, byte by byte
    (0x1F000, 265),  # emoji
    (0x20000, 380),
)
_STARTS: Final = tuple(start for start, _ in _BLOCKS)


class _Weights(dict[str, int]):
    """Hundredths of a token by character beyond ASCII; learns them as they come."""

    def __missing__(self, char: str) -> int:
        self[char] = weight = _BLOCKS[bisect_right(_STARTS, ord(char)) - 1][1]
        return weight


_WEIGHTS: Final = _Weights()
