"""What stands beside an item to be chosen from: the other options, told by their heads."""

from __future__ import annotations

import re
from typing import Final

from parley.memory.extraction.writing.unit_texts import BETWEEN, tidy, unit_words
from parley.memory.extraction.writing.units import Unit
from parley.memory.extraction.writing.written_message import WrittenMessage

_HEAD_END: Final = re.compile(r"\s[-–—]\s|\s\(|:\s|;\s|[.?!]\s")
_OPTION_LABEL: Final = re.compile(r"(?i)option\s+\w{1,2}\W+")
_OR: Final = "or "


def list_others(message: WrittenMessage, unit: Unit, room: int) -> list[str]:
    """The heads of what else stands beside `unit` to be chosen from, as far as there is room."""
    others: list[str] = []
    for beside in _beside(message, unit):
        words = unit_words(message, beside)
        label = _OPTION_LABEL.match(words)
        size = label.end() if label else 0
        head = words[:size] + _HEAD_END.split(words[size:], maxsplit=1)[0].rstrip(" .;:?")
        room -= len(head) + len(BETWEEN) + len(_OR)
        if room < 0:
            break
        others.append(_OR + head)
    return others


def _beside(message: WrittenMessage, unit: Unit) -> list[Unit]:
    """The other options of the message, of one; else the other items of a list that is led in as
    one to choose from.
    """
    index = message.units.index(unit)
    if message.names_option(index):
        own = message.item_mark(unit)
        marks = {
            message.item_mark(beside): beside
            for place, beside in reversed(list(enumerate(message.units)))
            if message.names_option(place)
        }
        return [beside for mark, beside in sorted(marks.items()) if mark and mark != own]
    leader = message.units[unit.lead] if unit.lead >= 0 else None
    if leader is None or unit.kind != "item":
        return []
    if not message.text_wordings.chooses.occurs(tidy(message.text[leader.start : leader.end])):
        return []
    return [
        beside
        for beside in message.units
        if beside.lead == unit.lead and beside is not unit and beside.kind == "item"
    ]
