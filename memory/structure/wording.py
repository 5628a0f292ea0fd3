"""The form of one line: what its wording alone says for or against it.

A cue is a yes/no feature with a name ("imperative", "asks", "long"). Lists of
words belong to languages (`cues.json`); marks, lengths and case are the same in
all of them. One automaton tells every cue of a line at once, in about a microsecond.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from memory.patterns import compiled_set

READ: Final = 500  # characters of a line that count: what is put to others says so early

_LEAD: Final = re.compile(r"[^\s:]{1,24} ?: +")
_FORMS: Final = {
    "asks": r"\?\s*\z",
    "asks within": r"\?\s*\S",
    "full stop": r"[^.]\.\s*\z",
    "trails off": r"(?:\.\.|…)\s*\z",
    "exclaims": r"!\s*\z",
    "ends in colon": r":\s*\z",
    "capital": r"\A\s*(?-i:\p{Lu})",
    "small": r"\A\s*(?-i:\p{Ll})",
    "digit first": r"\A\s*\pN",
    "mark first": r"\A\s*[\pP\pS]",
    "link": r"://",
    "number": r"#\d|\b(?:issue|pr|ticket|bug|task)[- ]?\d",
    "keyword": r"(?-i:\b(?:MUST|SHOULD|MAY|SHALL)\b)",
    "code": r"[`\"@]",
    "bracket": r"\(",
    "semicolon": r";",
    "comma": r", ",
    "sentences": r"[.!?]\s+\S",
    "command": (  # to a bot, or to the log itself
        r"\A\s*(?:q[+?=-]|\\?/\w|present[+:]|regrets[+:]|ack\s|[si][/|]|agenda[+:]|agendum\b|"
        r"scribe\w*\b|topic\s*:|subtopic\s*:|action\b|chair\s*:|meeting\s*:|->|"
        r"\w+\s*:\s*\w+\s+me\z|\S+://\S+\s*\z|\S+ has (?:joined|left|quit)\b|"
        r"\w*(?:bot|agent|zakim)\w*[,:] )"
    ),
}
_LENGTHS: Final = ((2, "len<2"), (4, "len<4"), (7, "len<7"), (11, "len<11"), (16, "len<16"),
                   (26, "len<26"), (41, "len<41"))  # fmt: skip
_SHORT: Final = 8  # words


class Lexicon:
    """The cues of several languages: words anywhere, `^` words at the beginning, `=` alone.

    A word with `_` in it stands for two words.
    """

    __slots__ = ("_names", "_set")

    def __init__(self, languages: Iterable[Mapping[str, str]] = ()) -> None:
        patterns = {name: [pattern] for name, pattern in _FORMS.items()}
        for cues in languages:
            for name, words in cues.items():
                patterns.setdefault(name.lstrip("^="), []).append(_pattern(name, words))
        self._names = tuple(patterns)
        self._set = compiled_set(tuple("|".join(every) for every in patterns.values()))

    @property
    def names(self) -> frozenset[str]:
        """The cues that it can tell beside those of length and of minutes."""
        return frozenset(self._names)

    def cues(self, text: str) -> set[str]:
        """The cues of `text`, a line without its speaker's name, folded and at most `READ` long."""
        names = self._names
        found = {names[hit] for hit in self._set.Match(text) or ()}
        words = len(text.split())
        for limit, name in _LENGTHS:
            if words < limit:
                found.add(name)
                break
        else:
            found.add("len>40")
        if ("minutes" in found or "last time" in found) and (
            "approves" in found or "accepts" in found
        ):
            found.add("approves minutes, short" if words < _SHORT else "approves minutes")
        return found


def _pattern(name: str, words: str) -> str:
    """One pattern for the words of a cue, longer ones first."""
    listed = sorted(words.split(), key=lambda word: (-len(word), word))
    either = "|".join(r"\s+".join(map(re.escape, word.split("_"))) for word in listed)
    if name.startswith("^"):
        return rf"\A[^\pL\pN]*(?:{either})(?:[^\pL\pN'_]|\z)"
    if name.startswith("="):
        return rf"\A[^\pL\pN]*(?:{either})(?:[^\pL\pN]+[\pL\pN']+){{0,3}}[^\pL\pN]*\z"
    return rf"(?:\A|[^\pL\pN'_])(?:{either})(?:[^\pL\pN'_]|\z)"


def lead(text: str) -> int:
    """How many characters of `text` name whose words follow: "ann: …"; 0 for none."""
    found = _LEAD.match(text)
    return 0 if found is None else found.end()
