"""Text as memory handles it: folded, clipped, measured, fenced, made visible.

Everything here is a pure function of its arguments. Offsets are characters,
half-open; `plain` keeps every offset of the original valid.
"""

from __future__ import annotations

import re
import string
import unicodedata
from typing import Final, Literal

from memory.graphemes import boundary_before

Unit = Literal["chars", "bytes", "tokens", "items"]

ELLIPSIS: Final = "…"
FENCE: Final = "| "  # starts every line of fenced content; nothing else in a context does
TOPIC_LIMIT: Final = 100
OUTCOME_LIMIT: Final = 200

# -- folding -------------------------------------------------------------------

_QUOTES: Final = dict.fromkeys(
    map(ord, "\u2018\u2019\u201a\u201b\u02bc\u2032\u00b4\uff07"), ord("'")
)
_DOUBLE_QUOTES: Final = dict.fromkeys(
    map(ord, "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"), ord('"')
)
_DASHES: Final = dict.fromkeys(
    map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63"), ord("-")
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


_CLAUSE_END: Final = re.compile(r"[.!?;](?=\s|$)|,\s(?=(?:because|since|so that|which|but)\b)| - ")

# -- sentences -----------------------------------------------------------------

_REACH: Final = 600  # characters each way; longer "sentences" are pasted data
_STOP: Final = re.compile(r"""\n|[.!?…][.!?"')\]*]{0,8}(?=\s|$)""")
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

# The counter "chars@1": hundredths of a token for a character of each class,
# rounded up at the end. English prose runs at 4.4 characters a token in current
# vocabularies, numbers at 2.5; punctuation is mostly a token of its own, which
# also covers JSON and code; ideographs are about one each.
_LETTER, _DIGIT, _MARK, _OTHER_LETTER, _IDEOGRAPH, _SYMBOL = 23, 40, 70, 45, 100, 200
_LETTERS_AND_SPACE: Final = (string.ascii_letters + " ").encode()
_DIGITS: Final = string.digits.encode()


def measure(text: str, unit: Unit) -> int:
    """The size of `text`: characters, UTF-8 bytes, tokens by "chars@1", or 1 item.

    Tokens are an estimate in integer arithmetic; the parts of a text never
    measure less than the whole.
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
    return (_hundredths(text) + 99) // 100


def _hundredths(text: str) -> int:
    if text.isascii():
        rest = text.encode().translate(None, _LETTERS_AND_SPACE)
        marks = len(rest.translate(None, _DIGITS))
        digits = len(rest) - marks
        return (len(text) - len(rest)) * _LETTER + digits * _DIGIT + marks * _MARK
    others = _ASCII.sub("", text)
    ascii_part = text.encode("ascii", "ignore").decode()
    return _hundredths(ascii_part) + sum(map(_WEIGHTS.__getitem__, others))


_ASCII: Final = re.compile(r"[\x00-\x7f]+")


def _weight(char: str) -> int:
    code = ord(char)
    if 0x2E80 <= code <= 0x9FFF or 0xAC00 <= code <= 0xD7A3 or 0xF900 <= code <= 0xFAFF:
        return _IDEOGRAPH
    if code > 0xFFFF:
        return _IDEOGRAPH if 0x20000 <= code <= 0x3FFFF else _SYMBOL
    return _OTHER_LETTER if char.isalpha() or unicodedata.combining(char) else _IDEOGRAPH


class _Weights(dict[str, int]):
    """Hundredths of a token by character beyond ASCII; learns them as they come."""

    def __missing__(self, char: str) -> int:
        self[char] = weight = _weight(char)
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
