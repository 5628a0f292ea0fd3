"""Texts that stand alone: what an item of written talk says, without its message.

The sentence that says it with as much of its block as fits, what follows before what leads up
to it; no markup, no signs around it. What is too short is told under its heading.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from parley.memory.extraction.writing.units import Unit
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.text.block_words import plain
from parley.memory.text.courtesies import is_courtesy
from parley.memory.text.plain_text import OUTCOME_LIMIT, clip

_LONG: Final = 300  # characters of an item's text, where its block has as many
_LONGEST: Final = 500  # with the sentence before it, where it points back to that
_WORDS: Final = 10  # a sentence of fewer says what it is about under its heading alone
_WORDS_OF_ITEM: Final = 12  # an item of a list
_SHORT: Final = 36  # characters: a sentence alone of fewer is read with the one before it
_READ: Final = 2000  # characters of a unit that an item quotes from
_LEADS_IN: Final = re.compile(r":[\s*_]{0,8}\Z")
_AROUND_CODE: Final = " \t`~>#*-"
_FENCES: Final = ("```", "~~~")
_LETTER: Final = re.compile(r"[^\W\d_]")
_CODE_LINE: Final = 120  # characters of a line of code that are told
_BETWEEN: Final = "; "  # parts of what is proposed as one
_RULING: Final = 120  # characters of a ruling before nothing that stands below is added to it
_ENOUGH: Final = 40  # of what stands below: with as many it is said
# Signs before and after the words: bullets, ticks, faces, arrows; brackets and quotes stay.
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s)")
_BEFORE: Final = re.compile(r"(?:[-–—*+]\s+)?[^\w(\[\"'$/@.`+<>=-]+")
_LAST: Final = frozenset("_.!?)]\"'%…`>")  # with which a text may end, beside words
_AFTER: Final = re.compile(r"[^\w.!?)\]\"'%…`>]+$")


def item_span(message: WrittenMessage, unit: Unit, apart: Sequence[Unit] = ()) -> tuple[int, int]:
    """The unit with as much of its block as makes a text of its own, what follows it first.

    What points back ("These must ...") takes the sentence before it, of the block before it if
    need be, and so does a short sentence alone. Nothing of the units `apart`, which are items
    themselves, nor a sentence behind it that only leads on.
    """
    units = message.units
    low = high = units.index(unit)

    def fits(index: int, longest: int = _LONG) -> bool:
        if not 0 <= index < len(units) or units[index] in apart:
            return False
        first, last = min(index, low), max(index, high)
        return units[last].end - units[first].start <= longest

    def is_free(index: int) -> bool:
        """True for a sentence of the block before, of which no item takes any."""
        before = units[index]
        if index < 0 or before.kind != "sentence" or unit.block - before.block > 1:
            return False
        return not any(each.block == before.block for each in apart if each is not unit)

    if message.points_back(low) and is_free(low - 1) and fits(low - 1, _LONGEST):
        low -= 1
    while (
        fits(high + 1)
        and units[high + 1].block == unit.block
        and not _leads_in(message, units[high + 1])
    ):
        high += 1
    follows = any(each.block == unit.block and each.start < unit.start for each in apart)
    while not follows and fits(low - 1) and units[low - 1].block == unit.block:
        low -= 1
    alone = unit.kind == "sentence" and units[high].end - units[low].start < _SHORT
    if alone and is_free(low - 1) and fits(low - 1) and not _leads_in(message, units[low - 1]):
        low -= 1
    while low < units.index(unit) and is_courtesy(message.text[units[low].start : units[low].end]):
        low += 1
    return units[low].start, units[high].end


def headed(message: WrittenMessage, unit: Unit, text: str) -> str:
    """`text`, which `unit` says, with what it needs to be understood: what it leads in, or its
    heading where it is short.

    An option says what it is by itself: answers name it by what its text begins with.
    """
    index = message.units.index(unit)
    if unit.kind == "heading" or _leads_in(message, unit):
        text = _with_parts(message, index, text)
    if unit.kind == "heading" or message.is_option(index):
        return text
    above = unit.lead if unit.lead >= 0 else unit.heading
    few = _WORDS if unit.kind == "sentence" else _WORDS_OF_ITEM
    if above < 0 or len(text.split()) >= few:
        return text
    lead = message.units[above]
    return _join(tidy(message.text[lead.start : lead.end]), text)


def _leads_in(message: WrittenMessage, unit: Unit) -> bool:
    """True for what ends with a colon."""
    return _LEADS_IN.search(message.text, unit.start, unit.end) is not None


def _with_parts(message: WrittenMessage, index: int, text: str) -> str:
    """`text`, which leads something in, with what it leads in, as far as there is room."""
    if shown := _shown(message, index):
        return _join(text, shown)
    parts: list[str] = []
    size = len(text)
    for unit in _led_in(message.units, index):
        words = tidy(message.text[unit.start : unit.end]).rstrip(".;,")
        if unit.kind == "row":
            words = words.strip("| ").partition("|")[0].rstrip()
        size += len(words) + len(_BETWEEN)
        if size > _LONG and (parts or size > _LONGEST):
            break
        parts.append(words)
    return _join(text, _BETWEEN.join(parts)) if parts else text


def _shown(message: WrittenMessage, index: int) -> str:
    """The first line of the code or quotation right behind a unit, clipped; "" for none."""
    units = message.units
    end = units[index].end
    following = units[index + 1].start if index + 1 < len(units) else len(message.text)
    for line in message.text[end : min(following, end + _READ)].splitlines():
        words = line.strip(_AROUND_CODE)
        if len(words) > 2 and not line.lstrip().startswith(_FENCES) and _LETTER.search(words):
            return clip(words, _CODE_LINE)
    return ""


def _led_in(units: Sequence[Unit], index: int) -> list[Unit]:
    """The items below a lead-in, else the rows of the table, else the sentence behind it."""
    below = units[index + 1 :]
    if led := [unit for unit in below if index in (unit.lead, unit.heading)]:
        return led
    behind = [unit for unit in below if unit.block != units[index].block]
    rows = takewhile(lambda unit: unit.kind == "row", behind)
    return [row for row in rows if row.level] or behind[:1]


def _join(lead: str, text: str) -> str:
    """A heading or lead-in with what stands under it."""
    return f"{lead} {text}" if lead.endswith((".", "!", "?")) else f"{lead.rstrip(':')}: {text}"


def ruling_text(message: WrittenMessage, unit: Unit) -> str:
    """What was decided, with what stands around it where there is room, or below its heading."""
    first, last = item_span(message, unit)
    text = tidy(message.text[first:last])
    if len(text) > OUTCOME_LIMIT:
        first, last = unit.start, unit.end
        text = tidy(message.text[first:last])
    for following in message.units[message.units.index(unit) + 1 :]:
        if len(text) >= _RULING:
            break
        if following.start < last:
            continue
        words = tidy(message.text[following.start : following.end])
        if words:
            text = _join(text, words) if text else words
        if len(words) > _ENOUGH:
            break
    return _end_at_sentence(text, OUTCOME_LIMIT)


def _end_at_sentence(text: str, limit: int) -> str:
    """`text`, of what is longer than `limit` the sentences that fit, if there are any."""
    if len(text) <= limit:
        return text
    ends = [stop.start() + 1 for stop in _SENTENCE_END.finditer(text, _ENOUGH, limit)]
    return text[: ends[-1]] if ends else text


def tidy(text: str) -> str:
    """`text` on one line, without markup and the signs around it."""
    line = plain(" ".join(text[:_READ].split()))
    before = _BEFORE.match(line)
    text = line[before.end() :] if before else line
    last = text[-1:]
    return text if last in _LAST or last.isalnum() else _AFTER.sub("", text) or line
