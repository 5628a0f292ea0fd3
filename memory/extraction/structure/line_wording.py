"""The form of one line: what its wording alone says for or against it.

A cue is a yes/no feature with a name ("imperative", "asks", "long"). Lists of
words belong to languages (`cues.json`); marks, lengths and case are the same in
all of them. One automaton tells every cue of a line at once, in about a microsecond.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from parley.memory.extraction.patterns.regular_expressions import compile_pattern_set
from parley.memory.extraction.structure.ascii_patterns import ascii_pattern

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
_LENGTHS: Final = (2, 4, 7, 11, 16, 26, 41)  # words
_BEYOND: Final = (*(f"len<{words}" for words in _LENGTHS), "len>40")
_MINUTES: Final = ("approves minutes, short", "approves minutes")
_SCRIBED: Final = "scribed"
_SHORT: Final = 8  # words


class Lexicon:
    """The cues of several languages: words anywhere, `^` words at the beginning, `=` alone.

    A word with `_` in it stands for two words.
    """

    __slots__ = ("_match", "_match_ascii", "_numbers", "_of_minutes", "_patterns", "names")

    def __init__(self, languages: Iterable[Mapping[str, str]] = ()) -> None:
        patterns = {name: [pattern] for name, pattern in _FORMS.items()}
        for cues in languages:
            for name, words in cues.items():
                patterns.setdefault(name.lstrip("^="), []).append(_pattern(name, words))
        self._patterns = tuple("|".join(every) for every in patterns.values())
        self._match_ascii = compile_pattern_set(tuple(map(ascii_pattern, self._patterns))).Match
        self._match: Callable[[str], Any] | None = None  # of other text, compiled where there is
        self.names = (*patterns, *_BEYOND, *_MINUTES, _SCRIBED)
        self._numbers = {name: number for number, name in enumerate(self.names)}
        self._of_minutes = frozenset(map(self.number, ("minutes", "last time")))

    def number(self, name: str) -> int:
        """The place of a cue in `names`; -1 for one that these languages lack."""
        return self._numbers.get(name, -1)

    def search(self, text: str, *, whole: bool = False) -> list[int]:
        """The numbers of the cues that occur in `text`, ascending; `whole`: by all of Unicode."""
        if text.isascii() and not whole:
            return self._match_ascii(text) or []
        if self._match is None:
            self._match = compile_pattern_set(self._patterns).Match
        return self._match(text) or []

    def hits(self, text: str, scribed: bool = False) -> list[int]:
        """The numbers of the cues of `text`, a line without its speaker's name.

        It is folded and at most `READ` long. Words are counted by their spaces.
        """
        hits = self.search(text)
        words = text.count(" ") + 1
        lengths = len(self.names) - len(_BEYOND) - len(_MINUTES) - 1
        if not self._of_minutes.isdisjoint(hits):
            hits += self._approved(hits, words)
        hits.append(lengths + bisect_right(_LENGTHS, words))
        if scribed:
            hits.append(len(self.names) - 1)
        return hits

    def _approved(self, hits: Sequence[int], words: int) -> list[int]:
        if self.number("approves") not in hits and self.number("accepts") not in hits:
            return []
        return [self.number(_MINUTES[words >= _SHORT])]

    def cues(self, text: str) -> set[str]:
        """The cues of `text` by name."""
        return set(self.name_cues(self.hits(text)))

    def name_cues(self, hits: Iterable[int]) -> list[str]:
        """The names of the cues with these numbers."""
        return [self.names[hit] for hit in hits]


def _pattern(name: str, words: str) -> str:
    """One pattern for the words of a cue, longer ones first."""
    listed = sorted(words.split(), key=lambda word: (-len(word), word))
    either = "|".join(r"\s+".join(map(re.escape, word.split("_"))) for word in listed)
    if name.startswith("^"):
        return rf"\A[^\pL\pN]*(?:{either})(?:[^\pL\pN'_]|\z)"
    if name.startswith("="):
        return rf"\A[^\pL\pN]*(?:{either})(?:[^\pL\pN]+[\pL\pN']+){{0,3}}[^\pL\pN]*\z"
    return rf"(?:\A|[^\pL\pN'_])(?:{either})(?:[^\pL\pN'_]|\z)"


def speaker_prefix_length(text: str) -> int:
    """How many characters of `text` name whose words follow: "ann: …"; 0 for none."""
    match = _LEAD.match(text)
    return 0 if match is None else match.end()
