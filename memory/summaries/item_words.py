"""What an item of the range says, in words of the range that can be understood alone."""

from __future__ import annotations

import re
from typing import Final

from parley.memory.extraction.writing.back_references import drop_openers, end_whole
from parley.memory.extraction.writing.cards import current_cards
from parley.memory.extraction.writing.item_texts import item_text
from parley.memory.extraction.writing.ruling_texts import ruling_text
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.summaries.talk_sentences import Line, quote_line
from parley.memory.text.plain_text import to_plain
from parley.memory.text.similarity import content_stems

_DOCUMENT: Final = 200  # characters: a shorter message is a line, and is quoted as it stands
_CLAUSE: Final = re.compile(r"[:;.!?]\s|\s[-–—→]\s")
_SHARED: Final = 2  # content words by which a stance shows what it is on
_READ: Final = 20_000  # characters of one message
_NOBODY: Final[frozenset[str]] = frozenset()


class RangeWords:
    """The messages of a range, each read as a document once, when an item of it is worded."""

    def __init__(self, lines: dict[int, Line]) -> None:
        self._lines = lines
        self._messages: dict[int, WrittenMessage | None] = {}

    def item_words(self, n: int, start: int, end: int, *, ruling: bool) -> str:
        """What the item at `start`..`end` of entry `n` says; "" where the range has not that."""
        line = self._lines.get(n)
        if line is None:
            return ""
        message = self._read(line)
        places = [] if message is None else _places(message, start, end)
        if message is None or not places:
            return self.quote(n, start, end)
        if ruling:
            return ruling_text(message, message.units[places[0]]).text
        scores = message.unit_scores()
        unit = message.units[max(places, key=lambda place: (scores[place], -place))]
        return item_text(message, unit, (unit.start, unit.end)).text

    def weigh(self, n: int, start: int, end: int) -> int:
        """How much the wording there looks like a proposal, hundredths of a logit; 0 of a line."""
        line = self._lines.get(n)
        message = None if line is None else self._read(line)
        if message is None:
            return 0
        scores = message.unit_scores()
        return max((scores[place] for place in _places(message, start, end)), default=0)

    def puts_forward(self, n: int, start: int, end: int) -> bool:
        """False of a written message's words that report, and put nothing forward."""
        line = self._lines.get(n)
        message = None if line is None else self._read(line)
        if message is None:
            return True
        cards = current_cards()
        for place in _places(message, start, end):
            unit = message.units[place]
            words = message.text[unit.start : unit.end]
            clauses = (clause.split(None, 1) for clause in _CLAUSE.split(words.lower()))
            if cards.texts.courses.occurs(words) or any(
                clause[0].strip("*_,") in cards.verbs for clause in clauses if clause
            ):
                return True
        return False

    def names(self, n: int, start: int, end: int, ref: str, text: str) -> bool:
        """True where the words at `start`..`end` of entry `n` name `ref`, or share two of their
        content words with `text`, which says what it is.
        """
        said = self.quote(n, start, end)
        if re.search(rf"\b{re.escape(ref)}\b", said):
            return True
        return len(set(content_stems(said)) & set(content_stems(text))) >= _SHARED

    def quote(self, n: int, start: int, end: int) -> str:
        """The sentence of entry `n` around `start`..`end`, for what somebody gives as a reason."""
        line = self._lines.get(n)
        if line is None:
            return ""
        return drop_openers(quote_line(line, start, end), current_cards().texts)

    def _read(self, line: Line) -> WrittenMessage | None:
        if line.n not in self._messages:
            message = None
            if len(line.content) >= _DOCUMENT:
                message = WrittenMessage(to_plain(line.content[:_READ]), _NOBODY, current_cards())
                if not message.is_readable():
                    message = None
            self._messages[line.n] = message
        return self._messages[line.n]


def _places(message: WrittenMessage, start: int, end: int) -> list[int]:
    """The places of the units that stand in `start`..`end`."""
    units = message.units
    return [place for place, unit in enumerate(units) if unit.end > start and unit.start < end]


def end_clause(text: str, chars: int) -> str:
    """`text` in at most `chars` characters, ended where a clause ends; as it is where none does."""
    return end_whole(text, chars, current_cards().texts, parts=False)
