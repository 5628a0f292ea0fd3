"""The words of a unit on one line, alone or with what it leads in. Pure; linear in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Final

from parley.memory.extraction.writing.units import Unit
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.text.block_words import plain
from parley.memory.text.plain_text import clip

LONG: Final = 300  # characters of an item's text, where its block has as many
LONGEST: Final = 500  # with the sentence before it, where it points back to that
BETWEEN: Final = "; "  # parts of what is proposed as one
_READ: Final = 2000  # characters of a unit that an item quotes from
_LEADS_IN: Final = re.compile(r":[\s*_]{0,8}\Z")
_AROUND_CODE: Final = " \t`~>#*-"
_FENCES: Final = ("```", "~~~")
_LETTER: Final = re.compile(r"[^\W\d_]")
_CODE_LINE: Final = 120  # characters of a line of code that are told
_FEW_LINES: Final = 3  # of code: of more none is told
_STOPS: Final = (".", "!", "?", '."', '!"', '?"', ".)")
# Signs before and after the words: bullets, ticks, faces, arrows; brackets and quotes stay.
_BEFORE: Final = re.compile(r"(?:[-–—*+•]\s+)*[^\w(\[\"'$/@.`+<>=-]+")
_LAST: Final = frozenset("_.!?)]\"'%…`>")  # with which a text may end, beside words
_AFTER: Final = re.compile(r"[^\w.!?)\]\"'%…`>]+$")
_FACES: Final = re.compile("[\u2600-\u27bf\u2b00-\u2bff\ufe0f\U0001f300-\U0001faff]+")
# A line that ends without a stop before one that begins as a field or an option does.
_FIELDS: Final = re.compile(
    r"([\w)\]`\"][*_]{0,2})[ \t]*\n[ \t]*"
    r"(?=[*_]{0,2}[A-Z][\w /-]{1,24}:[*_]{0,2}(?:\s|$)|\(?[A-Ha-h1-9][.)] )"
)


@lru_cache(maxsize=64)  # a unit is told as a topic, within a text and above others
def tidy(text: str) -> str:
    """`text` on one line, without markup and without signs and faces."""
    words = text[:_READ]
    if "\n" in words:
        words = _FIELDS.sub(r"\1; ", words)
    if not words.isascii():
        words = _FACES.sub(" ", words)
    words = words.replace("\\n", " ")
    line = plain(" ".join(words.split()))
    line = line.replace("**", "") if line.count("**") % 2 and line.strip("*") else line
    if line.count('"') % 2 and line.endswith('"'):
        line = line[:-1]
    before = _BEFORE.match(line)
    words = line[before.end() :] if before else line
    last = words[-1:]
    return words if last in _LAST or last.isalnum() else _AFTER.sub("", words) or line


def unit_words(message: WrittenMessage, unit: Unit) -> str:
    """The words of a unit on one line; of a row of a table its first cell before the others."""
    words = tidy(message.text[unit.start : unit.end])
    if unit.kind != "row" or "|" not in words:
        return words
    cells = [cell.strip() for cell in words.strip("| ").split("|")]
    shown = [cell for cell in cells if cell.strip(" -:")]
    if not shown:
        return words
    return f"{shown[0]}: {BETWEEN.join(shown[1:])}" if len(shown) > 1 else shown[0]


def leads_in(message: WrittenMessage, unit: Unit) -> bool:
    """True for what ends with a colon."""
    return _LEADS_IN.search(message.text, unit.start, unit.end) is not None


def with_parts(message: WrittenMessage, index: int, text: str) -> str:
    """`text`, which leads something in, with what it leads in, as far as there is room."""
    shown, lines = show_code(message, index)
    if lines:
        return join(text, shown) if lines <= _FEW_LINES else text
    parts: list[str] = []
    size = len(text)
    for unit in _led_in(message.units, index):
        words = unit_words(message, unit).rstrip(".;,")
        if unit.kind == "row":
            words = words.partition(": ")[0]
        size += len(words) + len(BETWEEN)
        if size > LONG and (parts or size > LONGEST):
            break
        parts.append(words)
    return join(text, BETWEEN.join(parts)) if parts else text


def show_code(message: WrittenMessage, index: int) -> tuple[str, int]:
    """The first line of the code or quotation right behind a unit, clipped; how many there are."""
    units = message.units
    end = units[index].end
    following = units[index + 1].start if index + 1 < len(units) else len(message.text)
    first, count = "", 0
    for line in message.text[end : min(following, end + _READ)].splitlines():
        words = line.strip(_AROUND_CODE)
        if len(words) > 2 and not line.lstrip().startswith(_FENCES) and _LETTER.search(words):
            first = first or clip(words, _CODE_LINE)
            count += 1
    return first, count


def _led_in(units: Sequence[Unit], index: int) -> list[Unit]:
    """The items below a lead-in, else the rows of the table, else the sentence behind it."""
    below = units[index + 1 :]
    led = [unit for unit in below if index in (unit.lead, unit.heading)]
    if led and led[0].kind != "row":
        return led
    behind = [unit for unit in below if unit.block != units[index].block]
    rows = takewhile(lambda unit: unit.kind == "row", behind)
    return [row for row in rows if row.level] or behind[:1]


def join(lead: str, text: str) -> str:
    """A heading or lead-in with what stands under it."""
    return f"{lead} {text}" if lead.endswith(_STOPS) else f"{lead.rstrip(':')}: {text}"
