"""Texts that stand alone: what an item of written talk says, without its message.

The sentence that says it with as much of its block as fits, what follows before what leads up
to it; no markup, no signs around it. What is too short is told under its heading.
"""

from __future__ import annotations

import re
from typing import Final

from parley.memory.extraction.writing.units import Unit
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.text.block_words import plain

_LONG: Final = 300  # characters of an item's text, where its block has as many
_WORDS: Final = 4  # a text of fewer says what it is about under its heading alone
_READ: Final = 2000  # characters of a unit that an item quotes from
_RULING: Final = 120  # characters of a ruling before nothing that stands below is added to it
_ENOUGH: Final = 40  # of what stands below: with as many it is said
# Signs before and after the words: bullets, ticks, faces, arrows; brackets and quotes stay.
_BEFORE: Final = re.compile(r"^[^\w(\[\"'$/@.`+<>=-]+")
_AFTER: Final = re.compile(r"[^\w.!?)\]\"'%…`>]+$")


def item_span(message: WrittenMessage, unit: Unit) -> tuple[int, int]:
    """The unit with as much of its block as makes a text of its own, what follows it first."""
    units = message.units
    low = high = units.index(unit)

    def fits(first: int, last: int) -> bool:
        return (
            first >= 0
            and last < len(units)
            and units[first].block == units[last].block == unit.block
            and units[last].end - units[first].start <= _LONG
        )

    while fits(low, high + 1):
        high += 1
    while fits(low - 1, high):
        low -= 1
    return units[low].start, units[high].end


def item_text(message: WrittenMessage, unit: Unit) -> str:
    """What a unit says on one line, without marks; under its heading where it is too short."""
    text = tidy(message.text[slice(*item_span(message, unit))])
    above = unit.lead if unit.lead >= 0 else unit.heading
    if unit.kind != "heading" and above >= 0 and len(text.split()) < _WORDS:
        lead = message.units[above]
        return f"{tidy(message.text[lead.start : lead.end])}: {text}"
    return text


def ruling_text(message: WrittenMessage, unit: Unit) -> str:
    """What was decided: of a heading what stands under it as well."""
    first, last = item_span(message, unit)
    text = tidy(message.text[first:last])
    for following in message.units[message.units.index(unit) + 1 :]:
        if len(text) >= _RULING:
            break
        if following.start < last:
            continue
        words = tidy(message.text[following.start : following.end])
        if words:
            text = f"{text}: {words}" if text else words
        if len(words) > _ENOUGH:
            break
    return text


def tidy(text: str) -> str:
    """`text` on one line, without markup and the signs around it."""
    line = plain(" ".join(text[:_READ].split()))
    return _AFTER.sub("", _BEFORE.sub("", line)) or line
