"""What an item of the range says, in words of the range that can be understood alone."""

from __future__ import annotations

import re
from typing import Final

from parley.memory.extraction.writing.back_references import (
    drop_openers,
    end_whole,
    has_fields,
)
from parley.memory.extraction.writing.cards import current_cards
from parley.memory.extraction.writing.item_texts import item_text
from parley.memory.extraction.writing.ruling_texts import ruling_text
from parley.memory.extraction.writing.unit_texts import leads_in, tidy
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.summaries.sentence_roles import shipped_roles
from parley.memory.summaries.talk_sentences import Line, form_words, is_form, quote_line
from parley.memory.text.courtesies import is_courtesy
from parley.memory.text.plain_text import to_plain
from parley.memory.text.similarity import content_stems

_DOCUMENT: Final = 200  # characters: a shorter message is a line, and is quoted as it stands
_CLAUSE: Final = re.compile(r"[:;.!?]\s|\s[-–—→]\s")
_SHARED: Final = 2  # content words by which a stance shows what it is on
_SHORT: Final = 8  # words; a sentence of fewer is told with the next one
_ANNOUNCED: Final = 20  # words of what a sentence announces, with it
_LONG: Final = 260  # characters of both together
_TITLE: Final = 80  # characters
_TITLE_WORDS: Final = 2
_HEAD: Final = re.compile(r".{2,80}?(?::(?=\s)|\s[-–—](?=\s))")
_HEAD_WORDS: Final = 12  # of an item of a list that is told by its head
_STOPS: Final = (".", "!", "?")
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
            place = places[0]
            text = ruling_text(message, message.units[place]).text
        else:
            scores = message.unit_scores()
            place = max(places, key=lambda place: (scores[place], -place))
            unit = message.units[place]
            text = item_text(message, unit, (start, end)).text
        return _extended(message, place, text)

    def names(self, n: int, start: int, end: int, ref: str, text: str) -> bool:
        """True where the words at `start`..`end` of entry `n` name `ref`, or share two of their
        content words with `text`, which says what it is.
        """
        words = self.quote(n, start, end)
        if re.search(rf"\b{re.escape(ref)}\b", words):
            return True
        return len(set(content_stems(words)) & set(content_stems(text))) >= _SHARED

    def speaks_of(self, n: int, ref: str, text: str) -> bool:
        """True where entry `n` names `ref`, or has three content words of `text`, which says what
        that is; and where the range has not that entry, or it is as short as a vote.
        """
        line = self._lines.get(n)
        if line is None or len(line.content) < _DOCUMENT:
            return True
        words = line.content[:_READ]
        if re.search(rf"\b{re.escape(ref)}\b", words):
            return True
        return len(set(content_stems(words)) & set(content_stems(text))) > _SHARED

    def quote(self, n: int, start: int, end: int) -> str:
        """The sentence of entry `n` around `start`..`end`, for what somebody gives as a reason."""
        line = self._lines.get(n)
        if line is None:
            return ""
        return drop_openers(quote_line(line, start, end), current_cards().texts)

    def is_written(self, n: int) -> bool:
        """True of a message that is long enough to be read as a document."""
        line = self._lines.get(n)
        return line is not None and self._read(line) is not None

    def sentence(self, n: int, start: int, end: int) -> str:
        """The sentence of entry `n` that begins in `start`..`end`, with what it needs to be
        understood alone.
        """
        line = self._lines.get(n)
        if line is None:
            return ""
        if is_form(line.content):
            return form_words(line.content)
        message = self._read(line)
        places = [] if message is None else _places(message, start, end)
        if message is None or not places:
            return self.quote(n, start, end)
        unit = message.units[places[0]]
        listed = _with_heads(message, places[0])
        text = listed or item_text(message, unit, (unit.start, unit.end)).text
        if leads_in(message, unit) and len(text) <= unit.end - unit.start:
            return ""  # of what it leads in there is nothing to tell
        return _extended(message, places[0], text)

    def places(self) -> dict[int, int]:
        """Which message of the range each entry is, by its n."""
        return {n: place for place, n in enumerate(sorted(self._lines))}

    def end_of_list(self, n: int, start: int, end: int) -> int:
        """Where the list ends that the sentence at `start`..`end` leads in; `end` of any other."""
        line = self._lines.get(n)
        if line is None or line.content[start:end].rstrip("*_ \n")[-1:] != ":":
            return end
        message = self._read(line)
        if message is None:
            return end
        for place in _places(message, start, end)[:1]:
            for unit in message.units[place + 1 :]:
                if unit.lead < place and (unit.first or unit.kind == "heading"):
                    break
                end = unit.end
        return end

    def title(self, n: int) -> str:
        """The line that entry `n` opens with, where that is its title; else ""."""
        line = self._lines.get(n)
        message = None if line is None else self._read(line)
        if message is None or len(message.units) < 2 or is_form(message.text):
            return ""
        first, second = message.units[:2]
        words = tidy(message.text[first.start : first.end])
        if (
            first.kind not in ("heading", "sentence")
            or len(words) > _TITLE
            or (
                first.kind == "sentence"
                and (second.block == first.block or words.endswith((".", ":")))
            )
        ):
            return ""
        words = drop_openers(words, message.text_wordings).replace("**", "").rstrip(":!.")
        says = len(words.split()) >= _TITLE_WORDS and not words.endswith("?")
        if has_fields(words, message.text_wordings):
            return ""
        return words if says and not is_courtesy(words) else ""

    def own_words(self, n: int, start: int, end: int) -> str:
        """The words of the sentence itself, without anything around it."""
        line = self._lines.get(n)
        message = None if line is None else self._read(line)
        places = [] if message is None else _places(message, start, end)
        if message is None or not places:
            return self.quote(n, start, end)
        scores = message.unit_scores()
        unit = message.units[max(places, key=lambda place: (scores[place], -place))]
        return tidy(message.text[unit.start : unit.end])

    def _read(self, line: Line) -> WrittenMessage | None:
        if line.n not in self._messages:
            message = None
            if len(line.content) >= _DOCUMENT:
                message = WrittenMessage(to_plain(line.content[:_READ]), _NOBODY, current_cards())
                if not message.is_readable():
                    message = None
            self._messages[line.n] = message
        return self._messages[line.n]


def _extended(message: WrittenMessage, place: int, text: str) -> str:
    """`text`, which the unit at `place` says, with what follows it where it is too short to say
    anything or only announces that.
    """
    bare = shipped_roles().bare.occurs(text)
    least = _ANNOUNCED if bare else _SHORT
    units = message.units
    while len(text.split()) < least and place + 1 < len(units):
        place += 1
        following = units[place]
        if following.kind not in ("sentence", "item"):
            break
        if following.kind == "item" == units[place - 1].kind and following.first:
            break  # the next of a list says something of its own
        words = tidy(message.text[following.start : following.end])
        words = drop_openers(words, message.text_wordings)
        if words in text:
            continue
        if len(text) + len(words) > _LONG:
            break
        text = f"{text} {words}" if text.endswith(_STOPS) else f"{text.rstrip(':')}: {words}"
    return text


def _with_heads(message: WrittenMessage, place: int) -> str:
    """A sentence that leads in a list with the heads of its items; "" of any other, and where
    the items have none.
    """
    lead = message.units[place]
    if lead.kind == "item" or not leads_in(message, lead):
        return ""
    heads: list[str] = []
    for unit in message.units[place + 1 :]:
        if unit.lead < place and (unit.first or unit.kind == "heading"):
            break
        if unit.lead == place and unit.first:
            words = drop_openers(tidy(message.text[unit.start : unit.end]), message.text_wordings)
            head = _HEAD.match(words)
            words = head[0].rstrip(" :-–—") if head else words.rstrip(".")
            heads.append(words if ")" in words else words.partition(" (")[0])
    if len(heads) < 2 or any(len(head.split()) > _HEAD_WORDS for head in heads):
        return ""
    text = tidy(message.text[lead.start : lead.end])
    return f"{text.rstrip(':')}: {'; '.join(heads)}"


def _places(message: WrittenMessage, start: int, end: int) -> list[int]:
    """The places of the units that stand in `start`..`end`."""
    units = message.units
    return [place for place, unit in enumerate(units) if unit.end > start and unit.start < end]


def end_clause(text: str, chars: int) -> str:
    """`text` in at most `chars` characters, ended where a clause ends; as it is where none does."""
    return end_whole(text, chars, current_cards().texts, parts=False)
