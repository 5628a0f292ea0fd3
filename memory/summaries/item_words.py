"""What an item of the range says, in words of the range that can be understood alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from parley.memory.extraction.writing.back_references import (
    TextWordings,
    begins_elsewhere,
    drop_openers,
    end_whole,
    first_sentence,
    has_fields,
)
from parley.memory.extraction.writing.cards import current_cards
from parley.memory.extraction.writing.item_texts import item_text
from parley.memory.extraction.writing.ruling_texts import ruling_text
from parley.memory.extraction.writing.unit_texts import BETWEEN, leads_in, tidy
from parley.memory.extraction.writing.units import Unit
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.summaries.filled_forms import form_words, is_form, run_words
from parley.memory.summaries.list_heads import LISTED, list_text, outline_text, tell
from parley.memory.summaries.sentence_roles import shipped_roles
from parley.memory.summaries.talk_sentences import Line, Sentence, quote_line
from parley.memory.text.courtesies import drop_courtesies, is_courtesy
from parley.memory.text.plain_text import ELLIPSIS, to_plain
from parley.memory.text.similarity import content_stems

_DOCUMENT: Final = 200  # characters: a shorter message is a line, and is quoted as it stands
_CLAUSE: Final = re.compile(r"[:;.!?]\s|\s[-–—→]\s")
_SHARED: Final = 2  # content words by which a stance shows what it is on
_ADVICE: Final = re.compile(
    r"[^:.?!]{0,50}\b(?:fix|recommend(?:ed|ation)?|suggest(?:ed|ion)?|proposal)\b[^:.?!]{0,40}: ",
    re.IGNORECASE,
)
_LONG_MESSAGE: Final = 500  # characters of a message that has a headline
_HEADLINE: Final = 60  # of that
_LIVE: Final = re.compile(
    r"\b(?:(?:is|are) (?:now )?(?:ready|live|done|complete|final)|added|landed|merged|approved"
    r"|rejected|fixed|failed)\b"
)
_SHORT: Final = 8  # words; a sentence of fewer is told with the next one
_ANNOUNCED: Final = 20  # words of what a sentence announces, with it
_LONG: Final = 260  # characters of both together
_TITLE: Final = 80  # characters
_HEADER: Final = 8  # units in which the title below the fields of a message is looked for
_TITLE_WORDS: Final = 2  # of a line that is no heading
_SECTION_WORDS: Final = 12
_PRAISE: Final = re.compile(
    r"(?:excellent|perfect|great|absolutely|wonderful|fantastic|agreed|exactly)[!]\s+(?=\w)",
    re.IGNORECASE,
)
_LEADS_ON: Final = re.compile(r"(?:therefore|thus|hence|consequently)\s+(?=\w)", re.IGNORECASE)
_THIS: Final = re.compile(
    r"\W*(?!it\b|they\b|this\s+(?:is|was|will|means)\b)(?:[a-z',]+\s+){0,6}?"
    r"(?:this|that|these|those)\s+(?!is\b|was\b|will\b|are\b|we\b|you\b|the\b)([a-z]{4,})"
)
_STOPS: Final = (".", "!", "?")
_READ: Final = 20_000  # characters of one message
_NOBODY: Final[frozenset[str]] = frozenset()


class RangeWords:
    """The messages of a range, each read as a document once, when an item of it is worded."""

    def __init__(self, lines: dict[int, Line]) -> None:
        self._lines = lines
        self._lowered: dict[int, str] = {}
        self._messages: dict[int, WrittenMessage | None] = {}
        self._scores: dict[int, Sequence[float]] = {}

    def item_words(self, n: int, start: int, end: int, *, ruling: bool, most: int = LISTED) -> str:
        """What the item at `start`..`end` of entry `n` says, a list in about `most` characters;
        "" where the range has not that.
        """
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
            scores = self._unit_scores(n, message)
            place = max(places, key=lambda place: (scores[place], -place))
            unit = message.units[place]
            text = item_text(message, unit, (start, end)).text
        text = text if ruling else _drop_leads(text, message.text_wordings)
        unit = message.units[place]
        if unit.kind == "heading" or leads_in(message, unit):
            listed = list_text(message, place, most)
            if listed.count(BETWEEN) > text.count(BETWEEN):
                return listed
        return _extended(message, place, text)

    def is_ordered_text(self, n: int) -> bool:
        """True of a text that the message before entry `n` orders: its sentences are nobody's."""
        ns = sorted(self._lines)
        line, place = self._lines.get(n), ns.index(n) if n in self._lines else 0
        if line is None or not place or len(line.content) < _DOCUMENT:
            return False
        order = self._lines[ns[place - 1]].content
        return len(order) < _DOCUMENT and shipped_roles().orders_text.occurs(order)

    def is_row(self, n: int, start: int) -> bool:
        """True where a row of a table stands at `start` of entry `n`."""
        line = self._lines.get(n)
        return line is not None and line.content[start : start + 1] == "|"

    def names(self, n: int, start: int, end: int, ref: str, text: str) -> bool:
        """True where the words at `start`..`end` of entry `n` name `ref`, or share two of their
        content words with `text`, which says what it is, and a quarter; a heading one more.
        """
        words = self.quote(n, start, end)
        if re.search(rf"\b{re.escape(ref)}\b", words):
            return True
        stems, others = set(content_stems(words)), set(content_stems(text))
        least = max(_SHARED, (min(len(stems), len(others)) + 3) // 4)
        return len(stems & others) >= least + self._is_heading(n, start)

    def _is_heading(self, n: int, start: int) -> bool:
        line = self._lines.get(n)
        return line is not None and line.content[:start].rpartition("\n")[2].startswith("#")

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
        return _drop_leads(quote_line(line, start, end), current_cards().texts)

    def is_written(self, n: int) -> bool:
        """True of a message that is long enough to be read as a document."""
        line = self._lines.get(n)
        return line is not None and self._read(line) is not None

    def sentence(self, sentence: Sentence, most: int = LISTED) -> str:
        """A sentence of the talk with what it needs to be understood alone: what it leads in, or
        announces, a list in about `most` characters; for the outline of its message the heads of
        the parts of that.
        """
        n, start, end = sentence.n, sentence.start, sentence.end
        line = self._lines.get(n)
        if line is None:
            return ""
        if is_form(line.content):
            return form_words(line.content)
        if sentence.run:
            return run_words(line.content)
        message = self._read(line)
        if sentence.outline:
            return "" if message is None else outline_text(message, most)
        places = [] if message is None else _places(message, start, end)
        if message is None or not places:
            return self.quote(n, start, end)
        unit = message.units[places[0]]
        if sentence.leads:
            lead = places[0] if unit.kind == "row" else places[-1]
            if listed := list_text(message, lead, most):
                return listed
        if leads_in(message, unit):
            text = item_text(message, unit, (unit.start, unit.end)).text
            if len(text) <= unit.end - unit.start:
                return ""  # of what it leads in there is nothing to tell
        else:
            text = _with_before(message, places[0], most)
        return _extended(message, places[0], text)

    def places(self) -> dict[int, int]:
        """Which message of the range each entry is, by its n."""
        return {n: place for place, n in enumerate(sorted(self._lines))}

    def is_known(self, n: int, start: int, text: str) -> bool:
        """True where `text`, at `start` of entry `n`, points back with a noun ("this cellar") that
        the range has before it.
        """
        match = _THIS.match(first_sentence(text).lower())
        noun = "" if match is None else match[1]
        if not noun or n not in self._lines:
            return False
        return self._low(n).find(noun, 0, start) >= 0 or any(
            noun in self._low(line.n) for line in self._lines.values() if line.n < n
        )

    def _low(self, n: int) -> str:
        if n not in self._lowered:
            self._lowered[n] = self._lines[n].content[:_READ].lower()
        return self._lowered[n]

    def length(self, n: int) -> int:
        """The characters of entry `n`, as far as it is read."""
        line = self._lines.get(n)
        return 0 if line is None else min(len(line.content), _READ)

    def follows(self, n: int, end: int, start: int) -> bool:
        """True where nothing stands between these two places of entry `n`."""
        line = self._lines.get(n)
        return line is not None and not line.content[end:start].strip(" \n*_")

    def section(self, n: int, start: int, end: int) -> str:
        """The head of the part of entry `n` that the sentence at `start`..`end` stands in: of a
        paragraph or an item that opens with one in bold, else the heading; "" for none.
        """
        line = self._lines.get(n)
        message = None if line is None else self._read(line)
        places = [] if message is None else _places(message, start, end)
        if message is None or not places:
            return ""
        units, unit = message.units, message.units[places[0]]
        first = next(each for each in units if each.block == unit.block)
        above = first if first is not unit and _is_head(message, first) else None
        if above is None and unit.kind == "item" and unit.lead >= 0:
            above = units[unit.lead] if leads_in(message, units[unit.lead]) else None
        if above is None and unit.heading > 0 and unit.kind != "heading":
            above = units[unit.heading]
            if unit.lead != unit.heading and unit.kind == "sentence":
                source = message.text[above.start : above.end].rstrip("* ")
                if source.endswith(":") and unit.block > above.block + 1:
                    return ""  # it led in what stood between
        if above is None:
            return ""
        words = drop_openers(tidy(message.text[above.start : above.end]), message.text_wordings)
        words = words.rstrip(" .:")
        return words if len(words.split()) <= _SECTION_WORDS and len(words) <= _TITLE else ""

    def title(self, n: int) -> str:
        """The line that entry `n` opens with, where that is its title; else ""."""
        line = self._lines.get(n)
        message = None if line is None else self._read(line)
        if message is None or len(message.units) < 2 or is_form(message.text):
            return ""
        if headline := _headline(message):
            return headline
        first, second = message.units[:2]
        if has_fields(tidy(message.text[first.start : first.end]), message.text_wordings):
            first = next((unit for unit in message.units[1:_HEADER] if unit.level == 1), first)
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
        says = (
            first.kind == "heading" or len(words.split()) >= _TITLE_WORDS
        ) and not words.endswith("?")
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
        scores = self._unit_scores(n, message)
        unit = message.units[max(places, key=lambda place: (scores[place], -place))]
        return tell(message.text[unit.start : unit.end])

    def _unit_scores(self, n: int, message: WrittenMessage) -> Sequence[float]:
        if n not in self._scores:
            self._scores[n] = message.unit_scores()
        return self._scores[n]

    def _read(self, line: Line) -> WrittenMessage | None:
        if line.n not in self._messages:
            message = None
            if len(line.content) >= _DOCUMENT:
                message = WrittenMessage(to_plain(line.content[:_READ]), _NOBODY, current_cards())
                if not message.is_readable():
                    message = None
            self._messages[line.n] = message
        return self._messages[line.n]


def _drop_leads(text: str, wordings: TextWordings) -> str:
    """`text` without words that lead on, also without a comma: "Therefore each team ..."."""
    text = drop_openers(text, wordings)
    lead = _LEADS_ON.match(text) or _PRAISE.match(text)
    return text[lead.end() :][:1].upper() + text[lead.end() + 1 :] if lead else text


def _with_before(message: WrittenMessage, place: int, most: int) -> str:
    """The sentence at `place`, behind the one before it where it begins with words for that and
    both have no more than `most` characters.
    """
    wordings = message.text_wordings
    unit = message.units[place]
    text = _drop_leads(tell(message.text[unit.start : unit.end]), wordings)
    kept = drop_courtesies(text)
    if kept != text and not begins_elsewhere(kept, wordings):
        text = kept
    if place and begins_elsewhere(text, wordings):
        before = message.units[place - 1]
        words = drop_openers(tidy(message.text[before.start : before.end]), wordings)
        beside = before.block == unit.block or before.kind == "sentence" == unit.kind
        if beside and words.endswith(_STOPS) and len(words) + len(text) < min(_LONG, most):
            return f"{words} {text}"
    return text


def _extended(message: WrittenMessage, place: int, text: str) -> str:
    """`text`, which the unit at `place` says, with what follows it where it is too short to say
    anything or only announces that.
    """
    text = _advised(message, place, text)
    bare = shipped_roles().bare.occurs(text)
    least = _ANNOUNCED if bare else _SHORT
    units = message.units
    while len(text.split()) < least and place + 1 < len(units):
        place += 1
        following = units[place]
        if following.kind not in ("sentence", "item"):
            break
        if following.kind == "item" and following.first and _in_item(units, place - 1):
            break  # the next of a list says something of its own
        words = tell(message.text[following.start : following.end])
        words = drop_openers(words, message.text_wordings)
        if words in text:
            continue
        if leads_in(message, following):
            listed = list_text(message, place)
            if not listed or len(text) + len(listed) > LISTED:
                break
            return f"{text} {listed}" if text.endswith(_STOPS) else f"{text.rstrip(':')}: {listed}"
        if len(text) + len(words) > _LONG:
            break
        text = f"{text} {words}" if text.endswith(_STOPS) else f"{text.rstrip(':')}: {words}"
    return text


def _headline(message: WrittenMessage) -> str:
    """What a message opens with behind whom it is to, where that is a short sentence that says what
    came of something or rules; else "".
    """
    if len(message.text) < _LONG_MESSAGE:
        return ""
    for unit in message.units[:_HEADER]:
        source = message.text[unit.start : unit.end].rstrip()
        words = tidy(source)
        if unit.kind != "sentence":
            break
        if source.endswith(",") and len(words.split()) <= _TITLE_WORDS:
            continue
        words = drop_openers(words, message.text_wordings).rstrip(".!")
        short = len(words.split()) >= _TITLE_WORDS and len(words) <= _HEADLINE
        if short and words[-1:].isalnum() and not is_courtesy(words) and _LIVE.search(words):
            return words
        break
    return ""


def _in_item(units: Sequence[Unit], place: int) -> bool:
    """True of a unit of an item of a list."""
    block = units[place].block
    while place and units[place - 1].block == block:
        place -= 1
    return units[place].kind == "item"


def _advised(message: WrittenMessage, place: int, text: str) -> str:
    """`text`; of advice that begins with what is wrong, its label with the sentence that says what
    to do.
    """
    label = _ADVICE.match(text)
    following = message.units[place + 1] if place + 1 < len(message.units) else None
    if label is None or following is None or following.block != message.units[place].block:
        return text
    words = tidy(message.text[following.start : following.end])
    says = shipped_roles().proposes(text[label.end() :])
    advises = words.startswith("If ") or shipped_roles().proposes(words)
    return f"{label[0]}{ELLIPSIS} {words}" if advises and not says else text


def _is_head(message: WrittenMessage, unit: Unit) -> bool:
    """True of the bold words that a paragraph or an item opens with."""
    source = message.text[unit.start : unit.end].strip()
    return source.startswith("**") and source.rstrip(".:").endswith("**")


def _places(message: WrittenMessage, start: int, end: int) -> list[int]:
    """The places of the units that stand in `start`..`end`."""
    units = message.units
    return [place for place, unit in enumerate(units) if unit.end > start and unit.start < end]


def end_clause(text: str, chars: int) -> str:
    """`text` in at most `chars` characters, ended where a clause ends; as it is where none does."""
    return end_whole(text, chars, current_cards().texts, parts=False)
