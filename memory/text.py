"""Text as memory handles it: folded, clipped, measured, fenced, made visible.

Everything here is a pure function of its arguments. Offsets are characters,
half-open; `plain` keeps every offset of the original valid.
"""

from __future__ import annotations

import re
import string
import unicodedata
from bisect import bisect_right
from typing import Final, Literal

from memory.graphemes import boundary_before

Unit = Literal["chars", "bytes", "tokens", "items"]

ELLIPSIS: Final = "…"
FENCE: Final = "| "  # starts every line of fenced content; nothing else in a context does
TOPIC_LIMIT: Final = 100
OUTCOME_LIMIT: Final = 200

# -- folding -------------------------------------------------------------------

_QUOTES: Final = dict.fromkeys(
    map(ord, "\u2018\u2019\u201a\u201b\u02bc\u2032\u00b4\u05f3\uff07"), ord("'")
)
_DOUBLE_QUOTES: Final = dict.fromkeys(
    map(ord, "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"), ord('"')
)
_DASHES: Final = dict.fromkeys(
    map(ord, "\u05be\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63"), ord("-")
)
_LINE_ENDS: Final = dict.fromkeys(map(ord, "\u0085\u2028\u2029"), ord("\n"))


class _Folds(dict[int, int]):
    """Code point to code point; learns the single-character NFKC forms as they come.

    Unicode 3.2 data, because it is the same in every Python: a memory must not
    change with the interpreter that folds it. Lone surrogates, which no encoder
    takes, become U+FFFD.
    """

    def __missing__(self, code: int) -> int:
        folded = unicodedata.ucd_3_2_0.normalize("NFKC", chr(code))
        result = ord(folded) if len(folded) == 1 else code
        if 0xD800 <= code <= 0xDFFF:
            result = 0xFFFD
        self[code] = result
        return result


_FOLDS: Final = _Folds({**_QUOTES, **_DOUBLE_QUOTES, **_DASHES, **_LINE_ENDS})


def plain(text: str) -> str:
    """`text` with typographic and fullwidth characters in their plain form.

    As long as `text`, so offsets found in it hold in the original.
    """
    return text if text.isascii() else text.translate(_FOLDS)


# -- clipping ------------------------------------------------------------------


def clip(text: str, limit: int) -> str:
    """`text`, or its beginning and an ellipsis, in at most `limit` characters.

    Cuts at white space where there is some in the second half, and never
    inside a grapheme. Idempotent; "" for a limit below 1.
    """
    if limit < 1:
        return ""
    if len(text) <= limit:
        return text
    cut = limit - 1
    while cut > 0 and not boundary_before(text, cut):
        cut -= 1
    return text[: _word_end(text, cut)] + ELLIPSIS


def _word_end(text: str, cut: int) -> int:
    """The last place at or before `cut` to end on a word; `cut` where there is none near."""
    if cut and not text[cut].isspace():
        space = cut - 1
        while space > cut // 2 and not text[space].isspace():
            space -= 1
        if space > cut // 2:
            cut = space
    end = cut
    while end > 0 and text[end - 1].isspace() and boundary_before(text, end - 1):
        end -= 1
    return end if boundary_before(text, end) else cut


def topic_line(text: str) -> str:
    """The first clause of `text` on one line, in at most 100 characters."""
    line = one_line(text)
    stop = _CLAUSE_END.search(line, 12)  # a clause of fewer characters names nothing
    return clip(line[: stop.start()] if stop else line.rstrip(" .;:,"), TOPIC_LIMIT)


def outcome_line(text: str) -> str:
    """`text` on one line, in at most 200 characters."""
    return clip(one_line(text), OUTCOME_LIMIT)


def one_line(text: str) -> str:
    """The first 2,000 characters with every run of white space as one space."""
    return " ".join(text[:2000].split())


_CLAUSE_END: Final = re.compile(
    r"[.!?;](?=\s|$)|,\s(?=(?:because|since|so that|which|but)\b)| - |[。！？；]"
)

# -- sentences -----------------------------------------------------------------

_REACH: Final = 600  # characters each way; longer "sentences" are pasted data
# Scripts without spaces: a stop of theirs needs none after it, nor does one before a letter
# of theirs. Kana, ideographs and what is written among them.
IDEOGRAPHIC: Final = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_STOP: Final = re.compile(
    rf"""\n|[.!?…][.!?"')\]*]{{0,8}}(?=\s|$)|[。！？][。！？.!?"')\]*」』）]{{0,8}}"""
    rf"""|[!?…]+(?=[{IDEOGRAPHIC}「『【])|(?<=[{IDEOGRAPHIC}])\.(?=[{IDEOGRAPHIC}「『【])"""
)
_ABBREVIATION: Final = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|cf|vs|approx|mr|mrs|ms|dr|fig|resp)\.$",
    re.IGNORECASE,
)


def sentence_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence around `start`..`end` begins and ends, spaces left out.

    A line's end is a sentence's end. Looks at most 600 characters each way.
    """
    low = max(0, start - _REACH)
    first = low
    for stop in _STOP.finditer(text, low, start):
        if not _abbreviates(text, stop):
            first = stop.end()
    high = min(len(text), end + _REACH)
    last = high
    for stop in _STOP.finditer(text, max(start, end - 1), high):
        if not _abbreviates(text, stop):
            last = stop.start() if stop[0] == "\n" else stop.end()
            break
    last = max(last, end)
    while first < start and text[first].isspace():
        first += 1
    while last > end and text[last - 1].isspace():
        last -= 1
    return first, last


def _abbreviates(text: str, stop: re.Match[str]) -> bool:
    if stop[0] != "." or stop.end() >= len(text):
        return False
    return _ABBREVIATION.search(text[max(0, stop.start() - 8) : stop.end()]) is not None


def sentence(text: str, start: int, end: int, limit: int = 200) -> str:
    """The sentence around `start`..`end`, clipped so that the span's beginning is in it."""
    first, last = sentence_span(text, start, end)
    if last - first > limit and end - first > limit - 1:
        first = max(first, start)
        while first > 0 and not boundary_before(text, first):
            first -= 1
    return clip(text[first:last], limit)


# -- measuring -----------------------------------------------------------------

COUNTER: Final = "chars@2"  # what `tokens` computes; it belongs to the fold version

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


def measure(text: str, unit: Unit) -> int:
    """The size of `text`: characters, UTF-8 bytes, tokens by "chars@2", or 1 item.

    Tokens are an estimate in integer arithmetic; the parts of a text never
    measure less than the whole, nor a text less than its beginning.
    """
    match unit:
        case "chars":
            return len(text)
        case "bytes":
            return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        case "tokens":
            return tokens(text)
        case "items":
            return 1
    raise ValueError(f"unit {unit!r}: use chars, bytes, tokens or items")


def tokens(text: str) -> int:
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

# -- showing -------------------------------------------------------------------

_ARABIC_SIGNS: Final = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2")
_JOINERS: Final = "\u200c\u200d"


def visible(text: str, keep_newlines: bool = False) -> str:
    """`text` with whatever a terminal or a reader would not see written as an escape.

    Control characters and ANSI sequences (\\x1b), direction overrides (\\u202e),
    zero-width and tag characters, line separators, lone surrogates. A joiner
    between two characters of a script or an emoji that needs it stays. One
    line, unless `keep_newlines`; "\\r\\n" is then one newline.
    """
    if text.isprintable():
        return text
    if keep_newlines:
        return "\n".join(map(visible, text.replace("\r\n", "\n").split("\n")))
    shown = []
    for index, char in enumerate(text):
        if char.isprintable() or (char in _JOINERS and _joins(text, index)):
            shown.append(char)
        else:
            shown.append(_escaped(char))
    return "".join(shown)


def _joins(text: str, index: int) -> bool:
    around = text[index - 1 : index] + text[index + 1 : index + 2]
    return len(around) == 2 and not any(char.isascii() or char in _JOINERS for char in around)


def _escaped(char: str) -> str:
    if char in _ARABIC_SIGNS:
        return char
    kind = unicodedata.category(char)
    if kind in ("Co", "Cn"):  # private use, and characters newer than this Python
        return char
    if kind == "Zs":
        return " "
    code = ord(char)
    if code < 0x100:
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def fenced(text: str) -> str:
    """The content of one message as lines that each begin with the fence `| `.

    No content can make a line without it, so none can pose as a heading, a
    marker or another speaker.
    """
    return "\n".join(FENCE + line for line in visible(text, keep_newlines=True).split("\n"))
