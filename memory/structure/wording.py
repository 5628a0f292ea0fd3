"""The form of one line: what its wording alone says for or against it.

A cue is a yes/no feature with a name ("imperative", "asks", "long"). Lists of
words belong to languages and come from the packs; marks, lengths and case are
the same in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

READ: Final = 500  # characters of a line that count: what is put to others says so early

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_LEAD: Final = re.compile(r"[^\s:]{1,24} ?: +")
_NUMBERED: Final = re.compile(r"#\d|\b(?:issue|pr|ticket|bug|task)[- ]?\d", re.IGNORECASE)
_KEYWORD: Final = re.compile(r"\b(?:MUST|SHOULD|MAY|SHALL)\b")
_SENTENCES: Final = re.compile(r"[.!?]\s+\S")
_COMMAND: Final = re.compile(
    r"\s*(?:q[+?=-]|\\?/\w|present[+:]|regrets[+:]|ack\s|[si][/|]|agenda[+:]|agendum\b|scribe\w*\b|"
    r"topic\s*:|subtopic\s*:|action\b|chair\s*:|meeting\s*:|->|\w+\s*:\s*\w+\s+me$|"
    r"\S+://\S+\s*$|\S+ has (?:joined|left|quit)\b|\w*(?:bot|agent|zakim)\w*[,:] )",
    re.IGNORECASE,
)
_LENGTHS: Final = ((2, "len<2"), (4, "len<4"), (7, "len<7"), (11, "len<11"), (16, "len<16"),
                   (26, "len<26"), (41, "len<41"))  # fmt: skip


class Lexicon:
    """The cue words of several languages: by word, by the first word, by the first two."""

    __slots__ = ("_anywhere", "_first", "_second")

    def __init__(self, cues: Iterable[Mapping[str, str]] = ()) -> None:
        self._anywhere: dict[str, tuple[str, ...]] = {}
        self._first: dict[str, tuple[str, ...]] = {}
        self._second: dict[str, tuple[str, ...]] = {}
        for names in cues:
            for name, words in names.items():
                place = self._first if name.startswith("^") else self._anywhere
                name = name.removeprefix("^")
                for word in words.split():
                    if "_" in word:
                        two = word.replace("_", " ")
                        self._second[two] = (*self._second.get(two, ()), name)
                    else:
                        place[word] = (*place.get(word, ()), name)

    def cues(self, text: str) -> set[str]:
        """The cues of `text`, a line without its speaker's name, folded and at most `READ` long."""
        words = _WORD.findall(text.lower())
        found = _form(text, len(words))
        if not words:
            return found
        anywhere = self._anywhere
        for word in words:
            if word in anywhere:
                found.update(anywhere[word])
        first = words[0]
        if first in self._first:
            found.update(self._first[first])
            if "assents" in found and len(words) > 4:
                found.discard("assents")
        if "minutes" in found and ("approves" in found or "accepts" in found):
            found.add("approves minutes, short" if len(words) < 8 else "approves minutes")
        if self._second and len(words) > 1:
            two = f"{first} {words[1]}"
            if two in self._second:
                found.update(self._second[two])
        return found


def _form(text: str, words: int) -> set[str]:
    """The cues of marks, lengths and case."""
    found = {"command"} if _COMMAND.match(text) else set()
    for limit, name in _LENGTHS:
        if words < limit:
            found.add(name)
            break
    else:
        found.add("len>40")
    shown = text.strip()
    first, last = shown[:1], shown[-1:]
    if last == "?":
        found.add("asks")
    elif "?" in shown:
        found.add("asks within")
    elif last == ".":
        found.add("trails off" if shown.endswith("..") else "full stop")
    elif last == "…":
        found.add("trails off")
    elif last == "!":
        found.add("exclaims")
    elif last == ":":
        found.add("ends in colon")
    if first.isupper():
        found.add("capital")
    elif first.islower():
        found.add("small")
    elif first.isdigit():
        found.add("digit first")
    else:
        found.add("mark first")
    if "://" in shown:
        found.add("link")
    if _NUMBERED.search(shown):
        found.add("number")
    if _KEYWORD.search(shown):
        found.add("keyword")
    if "`" in shown or '"' in shown or "@" in shown:
        found.add("code")
    if "(" in shown:
        found.add("bracket")
    if ";" in shown:
        found.add("semicolon")
    if ", " in shown:
        found.add("comma")
    if _SENTENCES.search(shown):
        found.add("sentences")
    return found


def lead(text: str) -> int:
    """How many characters of `text` name whose words follow: "ann: …"; 0 for none."""
    found = _LEAD.match(text)
    return 0 if found is None else found.end()
