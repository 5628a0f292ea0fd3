"""The talk of a range in passages with scores: the sentences, items and rows a summary may show.

The score of a passage is what the fitted tables say (how likely it proposes or rules), and more
for numbers, names and conditions. If no table reads the talk, words that nobody else says count
instead. Linear in the text; the first 20,000 characters of a message are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from operator import add
from string import ascii_lowercase
from typing import Final, NamedTuple

from parley.memory.extraction.prose.prose_scores import ProseMessage, Setting
from parley.memory.extraction.prose.prose_tables import current_tables
from parley.memory.extraction.writing.back_references import (
    drop_openers,
    has_fields,
    points_elsewhere,
)
from parley.memory.extraction.writing.cards import shipped_cards
from parley.memory.extraction.writing.item_texts import item_text
from parley.memory.extraction.writing.ruling_texts import form_fields
from parley.memory.extraction.writing.unit_texts import BETWEEN, leads_in, unit_words
from parley.memory.extraction.writing.units import Unit
from parley.memory.extraction.writing.wording import words_of
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.text.courtesies import is_courtesy
from parley.memory.text.plain_text import to_plain

_READ: Final = 20_000  # characters of one message: what is behind them is pasted
_LEAST_WORDS: Final = 5  # of a unit that shows no number and no name: fewer say nothing alone
_ALONE: Final = 10  # words of a unit that is understood alone, unless it points back
_AROUND: Final = 160  # characters before a unit that make it understood alone
_MOST: Final = 900  # characters of a unit that is shown: a longer one is no sentence
DENIALS: Final = frozenset(["no", "not", "never", "nobody", "nothing"])  # another thing is said
_LETTERS: Final = 4  # of a word of Latin letters that says something
_LATIN: Final = frozenset(ascii_lowercase)
_STEM: Final = 7  # letters by which two words are taken for one
# Hundredths of a logit, as the weights of the tables. The signs of importance are worth less than
# what the tables say, and more than a unit gains by being short; chosen on the recorded talk of
# agents, so that no figure of that talk shows how well they do.
_SIGN: Final = 50  # a number, a name, a condition: each
_DOUBLING: Final = 35  # each doubling of the length, so that room goes to what says much in little
_FAINT: Final = -300  # odds of one in twenty: lower scores of the tables count as this
_REPORTS: Final = 100  # what a passage loses that puts nothing forward
_TELLING: Final = 20  # each content word, where no table reads the talk
_MOST_TELLING: Final = 8  # words that count so
_CONDITIONS: Final = frozenset(["if", "unless", "until", "only", "before", "never", "must"])
_NUMBER: Final = re.compile(r"(?<![\w+-])\d")  # no handle, and no vote
_NAME: Final = re.compile(r"(?<=[a-z,;:] )[A-Z](?:[\w-]*[a-z]|[A-Z])|[a-z][A-Z]")
_IDEOGRAPH: Final = r"\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_WORD: Final = re.compile(rf"[{_IDEOGRAPH}]|[^\W_{_IDEOGRAPH}]+")


class Line(NamedTuple):
    """One message of a range."""

    n: int
    participant: str
    content: str


class Passage(NamedTuple):
    """What somebody says, as far as a summary may show it."""

    who: str
    place: tuple[int, int]  # n of the message, its start
    content: frozenset[str]  # its content words
    size: int  # about how many characters it has
    score: int
    render: Callable[[], str]  # costly; "" if it cannot be shown alone: asked if there is room
    reports: bool = False  # it puts nothing forward, by the wordings of the cards
    lead: str = ""  # what it stands behind, if that is not its speaker

    @classmethod
    def of_line(cls, who: str, place: tuple[int, int], text: str, score: int = 0) -> Passage:
        """A text that is shown as it is."""
        return cls(who, place, content_words(text), len(text), score, text.__str__)


NO_WORDS: Final = Passage("", (0, 0), frozenset(), 0, 0, str)


def content_words(text: str) -> frozenset[str]:
    """The words of `text` that say something, by their first letters; ideographs one by one."""
    common = shipped_cards().common
    return frozenset(
        [
            word[:_STEM]
            for word in set(_WORD.findall(text.lower()))
            if word in DENIALS
            or (word not in common and (len(word) >= _LETTERS or not _LATIN.issuperset(word)))
        ]
    )


def weigh_sentences(texts: Sequence[str]) -> list[int]:
    """What texts weigh that are a sentence each."""
    units = [Unit("sentence", 0, len(text), 0, -1, -1, at, True) for at, text in enumerate(texts)]
    words = [words_of(text.lower()) for text in texts]
    return list(map(add, _weigh_units(units, words), map(_weigh_signs, texts, words)))


def _weigh_units(units: list[Unit], words: list[list[str]]) -> list[int]:
    """What units weigh by the tables: that they propose or rule."""
    scores = ProseMessage(units, words, current_tables(), Setting()).scores()
    return [max(*odds, _FAINT) for odds in scores]


def _weigh_signs(text: str, words: Sequence[str]) -> int:
    signs = (_NUMBER.search(text) is not None) + (_NAME.search(text) is not None)
    signs += not _CONDITIONS.isdisjoint(words)
    return _SIGN * signs - _DOUBLING * len(text).bit_length()


class RangeTalk:
    """The messages of a range, each read once."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = {line.n: line for line in lines}
        names = frozenset(line.participant.lower().partition(" ")[0] for line in lines)
        self._messages = {
            line.n: WrittenMessage(to_plain(line.content[:_READ]), names, shipped_cards())
            for line in lines
        }
        self._odds = {n: _weigh_units(m.units, m.words) for n, m in self._messages.items()}
        self._unread = {n for n, each in self._messages.items() if not each.is_readable()}

    def list_passages(self) -> list[Passage]:
        """The units that may be shown, in the order of the talk."""
        return [
            self._passage(n, index, partial(_render_alone, message, index))
            for n, message in self._messages.items()
            for index, unit in enumerate(message.units)
            if _says_something(message, unit)
        ]

    def words_at(self, n: int, start: int, end: int) -> Passage:
        """The unit of entry `n` between `start` and `end` that most likely proposes or rules;
        `NO_WORDS` if the range has none there.
        """
        message = self._messages.get(n)
        places = [
            place
            for place, unit in enumerate(message.units if message else ())
            if unit.start < max(end, start + 1) and start < unit.end
        ]
        if message is None or not places:
            return NO_WORDS
        place = max(places, key=self._odds[n].__getitem__)
        return self._passage(n, place, partial(render_unit, message, place))

    def _passage(self, n: int, index: int, render: Callable[[], str]) -> Passage:
        message, unit = self._messages[n], self._messages[n].units[index]
        raw = message.text[unit.start : unit.end]
        score = self._odds[n][index] + _weigh_signs(raw, message.words[index])
        content, reports = content_words(raw), False
        if n in self._unread:
            score += _TELLING * min(len(content), _MOST_TELLING)
        elif reports := self._odds[n][index] > _FAINT and message.is_unsaid(index):
            score -= _REPORTS
        place = n, unit.start
        return Passage(self.lines[n].participant, place, content, len(raw), score, render, reports)


def _says_something(message: WrittenMessage, unit: Unit) -> bool:
    if unit.kind == "row" and not unit.level:
        return message.text.lstrip()[:1] == "{"  # a form
    raw = message.text[unit.start : unit.end]
    few = raw.isascii() and len(raw.split()) < _LEAST_WORDS
    if unit.kind == "heading" or (few and not (_NUMBER.search(raw) or _NAME.search(raw))):
        return False
    return len(raw) <= _MOST and not leads_in(message, unit) and not is_courtesy(raw)


def render_unit(message: WrittenMessage, index: int) -> str:
    """The whole words of a unit: a heading or a lead-in with the text under it, another unit behind
    what makes it understood, if that is short.
    """
    if fields := form_fields(message.text):
        return fields
    unit, wordings = message.units[index], message.text_wordings
    own = drop_openers(unit_words(message, unit), wordings).strip()
    core = own.rstrip(" .:;")
    leads = unit.kind == "heading" or leads_in(message, unit)
    if not core or (own.count(" ") >= _ALONE and not leads and not message.points_back(index)):
        return own if core else ""
    text = item_text(message, unit, (unit.start, unit.end)).text
    before, found, behind = text.partition(core)
    around = found and BETWEEN not in before and len(before) <= _AROUND
    return text if around and (leads or len(behind) <= 1) else own


def _render_alone(message: WrittenMessage, index: int) -> str:
    """The same; "" if it points to words elsewhere, or is the head of a letter."""
    text, wordings = render_unit(message, index), message.text_wordings
    return "" if has_fields(text, wordings) or points_elsewhere(text, wordings) else text
