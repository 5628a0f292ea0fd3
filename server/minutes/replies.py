"""Whether somebody took a question up, as far as words can tell. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

from parley.bus.entries import Record
from parley.memory.extraction.patterns.clauses import Span
from parley.server.minutes.words.attribution import Voice
from parley.server.minutes.words.mentions import NameIndex
from parley.server.minutes.words.sentence_words import READ, WITHOUT_SPACES, WORD, topic_words

AFTER: Final = 8  # messages in which an answer may come
_SHORT: Final = 6  # words of a bare yes or no
_HEAD: Final = 60  # characters of a message in which it names whom it speaks to
_FULL: Final = 3  # words of a statement
_LED: Final = re.compile(r"\s*([^\W\d_][\w.'-]{1,30}(?: [\w.'-]{1,30})?):\s")
# A sentence, and the marks that end it: a stop within a word ends none.
_SENTENCE: Final = re.compile(r"\w(?:[^.!?？。！\n]|[.!?](?=[^\s.!?]))*([.!?？。！]*)")


class Question(NamedTuple):
    place: int  # of its message among the others
    span: Span
    text: str
    how: str  # act or words
    closed: bool  # yes or no would do
    handles: tuple[str, ...]
    about: frozenset[str]  # its stems
    to: frozenset[str]  # whom it names, but for whoever asks


class Openers(NamedTuple):
    """The words that questions open with, and those that answer one by themselves."""

    open: frozenset[str]
    closed: frozenset[str]
    leads: frozenset[str]
    answers: frozenset[str]
    marks: frozenset[str]  # what leads a line and is nobody's name


@cache
def openers() -> Openers:
    """The shipped words of all languages."""
    tree = json.loads((resources.files("parley.server") / "data/questions.json").read_text("utf-8"))
    return Openers(
        frozenset(" ".join(tree["open"].values()).split()),
        frozenset(" ".join(tree["closed"].values()).split()),
        frozenset(tree["leads"].split()),
        frozenset(tree["answers"].split()),
        frozenset(tree["marks"].split()),
    )


class Replies:
    """What others said right after a question."""

    def __init__(
        self, messages: Sequence[Record], voices: Mapping[int, Voice], names: NameIndex
    ) -> None:
        self._messages, self._said, self._names = messages, voices, names
        self._stems: dict[int, frozenset[str]] = {}

    def answer(self, asked: Question) -> bool:
        """Whether somebody else took it up: shared a word of it, said a bare yes or no, or was
        the next to speak, and not to somebody else; of whom it names, whether they spoke."""
        asker, next_speaks = self._speaker(asked.place), asked.how == "words" and not asked.to
        end = min(len(self._messages), asked.place + 1 + AFTER)
        for place in range(asked.place + 1, end):
            text = self._messages[place].entry.content  # type: ignore[union-attr]  # messages alone
            who, stems = self._speaker(place), self._content(place)
            if who == asker and not self._led_by_another(place, asked.place):
                continue
            if not _states(text):
                continue
            if not asked.about or asked.about & stems or who in asked.to:
                return True
            if asked.closed and _is_bare(text):
                return True
            if next_speaks and self._says(place, text) and not self._elsewhere(place, asker):
                return True
        return False

    def _says(self, place: int, text: str) -> bool:
        """Whether it has more in it than a vote, a grunt or a bare yes."""
        return _is_full(text) or (bool(WORD.search(text)) and not _is_bare(text))

    def _led_by_another(self, place: int, asked: int) -> bool:
        """Whether it is led by a name, of anybody, that the question is not led by: who writes
        down what is said on a call types both, and the names need be no participant's."""
        lead = _lead(self._messages[place])
        own = (_lead(self._messages[asked]), self._speaker(asked).casefold())
        return bool(lead) and lead not in own

    def _elsewhere(self, place: int, asker: str) -> bool:
        """Whether a message says that it speaks to something else than the last question."""
        entry: Any = self._messages[place].entry
        if entry.re is not None or entry.act not in (None, "inform", "ask"):
            return True
        start = self._said[self._messages[place].n].start
        head = entry.content[start : start + _HEAD]
        named = {*map(self._names.canonical, entry.to), *self._names.in_text(head)}
        return bool(named) and asker not in named

    def _speaker(self, place: int) -> str:
        return self._said[self._messages[place].n].name

    def _content(self, place: int) -> frozenset[str]:
        words = self._stems.get(place)
        if words is None:
            entry: Any = self._messages[place].entry
            words = self._stems[place] = frozenset(topic_words(entry.content[:READ]))
        return words


def _lead(record: Record) -> str:
    """The "ann" of "Ann: let us close it"; "" for none, and for a mark such as "Topic:"."""
    entry: Any = record.entry
    match = _LED.match(entry.content)
    lead = match[1].casefold() if match else ""
    return "" if lead in openers().marks else lead


def _states(text: str) -> bool:
    """Whether it says anything but questions."""
    if "?" not in text and "？" not in text:
        return True
    return any(not {"?", "？"} & {*marks} for marks in _SENTENCE.findall(text[:READ]))


def _is_full(text: str) -> bool:
    """Whether it has the words of a sentence; a vote or a grunt has not."""
    return len(WORD.findall(text[:200])) >= _FULL or bool(WITHOUT_SPACES.search(text[:200]))


def _is_bare(text: str) -> bool:
    words = WORD.findall(text[:200].casefold())
    return 0 < len(words) <= _SHORT and words[0] in openers().answers
