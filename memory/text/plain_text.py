"""Text as memory handles it: folded, clipped, taken apart into lines and sentences.

Everything here is a pure function of its arguments. Offsets are characters,
half-open; `to_plain` keeps every offset of the original valid.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from parley.memory.text.graphemes import is_boundary

ELLIPSIS: Final = "…"
TOPIC_LIMIT: Final = 100
OUTCOME_LIMIT: Final = 200

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
_UNSEEN: Final = "Cf"  # the Unicode category of format characters
# Format characters that Unicode 3.2 does not know, or has among other kinds: the blank without
# width, the soft hyphen, marks and isolates of the direction (which messengers put around names).
_UNSEEN_SINCE: Final = frozenset("\u200b\u00ad\u061c\u180e\u2064\u2066\u2067\u2068\u2069")


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


_ASCII: Final = bytes(range(128))
_FOLDS: Final = _Folds({**_QUOTES, **_DOUBLE_QUOTES, **_DASHES, **_LINE_ENDS})


def to_plain(text: str) -> str:
    """`text` with typographic and fullwidth characters in their plain form.

    As long as `text`, so offsets found in it hold in the original.
    """
    if text.isascii():
        return text
    folds = {char: chr(_FOLDS[ord(char)]) for char in beyond_ascii(text)}
    if all(fold.isascii() or fold == char for char, fold in folds.items()):
        for char, fold in folds.items():  # no fold of one is another
            if fold != char:
                text = text.replace(char, fold)
        return text
    return text.translate(_FOLDS)


def beyond_ascii(text: str) -> set[str]:
    """The characters of `text` that are not ASCII: few in most talk, so looked at one by one."""
    encoded = text.encode("utf-8", "surrogatepass")
    return set(encoded.translate(None, _ASCII).decode("utf-8", "surrogatepass"))


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
    while cut > 0 and not is_boundary(text, cut):
        cut -= 1
    return text[: _word_end(text, cut)] + ELLIPSIS


def shorten_lines(text: str, limit: int) -> str:
    """`text` in about `limit` characters: the longest of its lines cut, all to the same length."""
    lines = text.split("\n")
    left, longest = limit, 0
    for place, size in enumerate(sorted(map(len, lines))):
        longest = max(0, left) // (len(lines) - place)
        if size > longest:
            break
        left -= size
    return "\n".join(filter(None, (clip(line, longest) for line in lines)))


def _word_end(text: str, cut: int) -> int:
    """The last place at or before `cut` to end on a word; `cut` where there is none near."""
    if cut and not text[cut].isspace():
        half = text[cut // 2 + 1 : cut]
        last = "" if half[-1:].isspace() else half.split(None)[-1] if half else ""
        if len(last) < len(half):
            cut -= len(last) + 1
    end = cut
    while end > 0 and text[end - 1].isspace() and is_boundary(text, end - 1):
        end -= 1
    return end if is_boundary(text, end) else cut


def outcome_line(text: str) -> str:
    """`text` on one line, in at most 200 characters."""
    return clip(one_line(text), OUTCOME_LIMIT)


def one_line(text: str) -> str:
    """The first 2,000 characters with every run of white space as one space."""
    return " ".join(text[:2000].split())


def resolve_name(aliases: Mapping[str, str], name: str) -> str:
    """The canonical name of `name`: of whom it is an alias, else what it is called as one reads it.

    `aliases` are canonical names by alias.
    """
    known = aliases.get(name)
    if known is None:
        plain = plain_name(name)
        known = plain if plain == name else aliases.get(plain, plain)
    return known


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """`name` composed (NFC), without format characters, its blanks single and none at its ends.

    Names of which that is the same are one person's. A name of nothing else is as it is.
    """
    if name.isascii() and name.isprintable() and "  " not in name and name == name.strip():
        return name
    seen = [
        sign
        for sign in name
        if sign not in _UNSEEN_SINCE and unicodedata.ucd_3_2_0.category(sign) != _UNSEEN
    ]
    return unicodedata.ucd_3_2_0.normalize("NFC", " ".join("".join(seen).split())) or name


# Letters of Cyrillic and Greek, in small letters, that look like a Latin one.
_CYRILLIC: Final = dict(zip("авекмнорстухіјѕһԁԛԝьӏ", "abekmhopctyxijshdqwbl", strict=True))
_GREEK: Final = dict(zip("αβεηικμνορτυχωγ", "abenikuvoptuxwy", strict=True))
_LIKE_LATIN: Final = str.maketrans({
    **_CYRILLIC, **_GREEK, "ı": "i", "ɑ": "a", "ɡ": "g", "0": "o", "1": "l", "|": "l",
})  # fmt: skip


def look_alike_key(name: str) -> str:
    """The same text for names that a person takes for each other; they are not one person's by it.

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
