"""The words of a unit on one line, alone or with what it leads in. Pure; linear in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Final

from parley.memory.extraction.writing.back_references import is_field
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
_DIGIT: Final = re.compile(r"\d")
_LETTER: Final = re.compile(r"[^\W\d_]")
_CODE_LINE: Final = 120  # characters of code that are told
_HEAD_WORDS: Final = 3  # of the head of a column that is put before what stands in it
_PART_WORDS: Final = 3  # of the last part of a list behind which a sentence begins
_CELL: Final = 40  # characters of a cell that is told behind the first of a row, among other rows
_CELLS: Final = 80  # of all of them with the heads of their columns
_PREAMBLE: Final = re.compile(r"(?:import|from|using|require|use|cd|#|//|export)\b|[#/]")
_FEW_LINES: Final = 3  # of code: of more none is told
_STOPS: Final = (".", "!", "?", '."', '!"', '?"', ".)")
# Signs before and after the words: bullets, ticks, faces, arrows; brackets and quotes stay.
_BEFORE: Final = re.compile(r"(?:[-–—*+•]\s+)*[^\w(\[\"'$/@.`+<>=§-]+")
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
    if "`" in line and line.count("`") % 2:
        line = line.replace("`", "")
    if line.count('"') % 2 and line.endswith('"'):
        line = line[:-1]
    before = _BEFORE.match(line)
    words = line[before.end() :] if before else line
    last = words[-1:]
    return words if last in _LAST or last.isalnum() else _AFTER.sub("", words) or line


def unit_words(message: WrittenMessage, unit: Unit) -> str:
    """The words of a unit on one line; of a row of a table its first cell before the others, each
    of these behind the head of its column where there are several.
    """
    words = tidy(message.text[unit.start : unit.end])
    if unit.kind != "row" or "|" not in words:
        return words
    heads = _cells(message, _head_of(message.units, unit))
    cells = _cells(message, unit)
    named = [(heads[place] if place < len(heads) else "", cell) for place, cell in enumerate(cells)]
    shown = [(head, cell) for head, cell in named if cell.strip(" -:")]
    if len(shown) > 1 and not _LETTER.search(shown[0][1]):  # the number of the row
        del shown[0]
    if not shown:
        return words
    first, rest = shown[0][1], shown[1:]
    if len(rest) < 2:
        return ": ".join([first, *(cell for _, cell in rest)])
    said = [f"{head}: {cell}" if _names_column(head) else cell for head, cell in rest]
    return f"{first}: {BETWEEN.join(said)}"


def _cells(message: WrittenMessage, row: Unit | None) -> list[str]:
    """The cells of a row of a table, tidied; of its head without the line below it."""
    if row is None:
        return []
    line = message.text[row.start : row.end].partition("\n")[0]
    return [tidy(cell) for cell in line.strip("| ").split("|")]


def _head_of(units: Sequence[Unit], row: Unit) -> Unit | None:
    """The head of the table that a row stands in."""
    for unit in reversed(units[: units.index(row)]):
        if unit.kind != "row":
            return None
        if not unit.level:
            return unit
    return None


def _names_column(head: str) -> bool:
    return 0 < len(head.split()) <= _HEAD_WORDS and _LETTER.search(head) is not None


def leads_in(message: WrittenMessage, unit: Unit) -> bool:
    """True for what ends with a colon."""
    return _LEADS_IN.search(message.text, unit.start, unit.end) is not None


def with_parts(message: WrittenMessage, index: int, text: str) -> str:
    """`text`, which leads something in, with what it leads in, as far as there is room."""
    shown, lines = show_code(message, index)
    if lines:
        return join(text, shown) if shown and lines <= _FEW_LINES else text
    parts: list[str] = []
    size = len(text)
    led = _led_in(message.units, index)
    if led and led[0].kind == "heading" and not leads_in(message, message.units[index]):
        return text
    led = [unit for unit in led if unit.kind != "heading"] or led
    for unit in led:
        words = unit_words(message, unit).rstrip(".;,")
        if unit.kind != "row" and is_field(words, message.text_wordings):
            continue
        if unit.kind == "row":
            words = _short_row(message, unit, words)
        size += len(words) + len(BETWEEN)
        if size > LONG and (parts or size > LONGEST):
            break
        parts.append(words)
    return join(text, BETWEEN.join(parts)) if parts else text


def _short_row(message: WrittenMessage, row: Unit, words: str) -> str:
    """What a row is of, with its next cell where that is short; where the columns compare
    something, with all of them behind their heads, or none.
    """
    heads, cells = _cells(message, _head_of(message.units, row)), _cells(message, row)
    first = next((place for place, cell in enumerate(cells) if _LETTER.search(cell)), 0)
    name, rest = cells[first], list(zip(heads, cells, strict=False))[first + 1 :]
    if _compares(rest):
        told = ", ".join(f"{head} {cell}" for head, cell in rest if cell)
        return f"{name} ({told})" if len(told) <= _CELLS else name
    said = next((cell for cell in cells[first + 1 :] if _LETTER.search(cell)), "")
    return f"{name}: {said}" if 0 < len(said) <= _CELL else words.partition(": ")[0]


def _compares(cells: Sequence[tuple[str, str]]) -> bool:
    """True of cells, each with the head of its column, of which several are numbers, or whose
    heads share a word.
    """
    if len(cells) < 2 or not all(head for head, _ in cells):
        return False
    shared = set.intersection(*(set(head.lower().split()) for head, _ in cells))
    return bool(shared) or sum(_DIGIT.search(cell) is not None for _, cell in cells) > 1


def show_code(message: WrittenMessage, index: int) -> tuple[str, int]:
    """The first lines of the code or quotation right behind a unit, but for those that only set
    it up, as far as there is room; how many lines there are.
    """
    units = message.units
    end = units[index].end
    following = units[index + 1].start if index + 1 < len(units) else len(message.text)
    shown, count, room = [], 0, _CODE_LINE
    for line in message.text[end : min(following, end + _READ)].splitlines():
        words = line.strip(_AROUND_CODE)
        if len(words) <= 2 or line.lstrip().startswith(_FENCES) or not _LETTER.search(words):
            continue
        count += 1
        if room > 0 and not _PREAMBLE.match(words):
            shown.append(clip(words, room))
            room -= len(words) + len(BETWEEN)
    return BETWEEN.join(shown), count


def _led_in(units: Sequence[Unit], index: int) -> list[Unit]:
    """The items below a lead-in, else the rows of the table, else the sentence behind it."""
    below = units[index + 1 :]
    led = [
        unit
        for unit in below
        if index in (unit.lead, unit.heading) and (unit.kind != "row" or unit.level)
    ]
    if led and led[0].kind == "item":
        return list(takewhile(lambda unit: unit.kind == "item" or not unit.first, led))
    if led and led[0].kind != "row":
        return led
    behind = [unit for unit in below if unit.block != units[index].block]
    rows = takewhile(lambda unit: unit.kind == "row", behind)
    return [row for row in rows if row.level] or [
        unit for unit in behind[:1] if unit.kind != "heading"
    ]


def join(lead: str, text: str) -> str:
    """A heading or lead-in with what stands under it, unless that begins with it; behind a list
    that it has led in, a new sentence.
    """
    if text.lower().startswith(lead.rstrip(":").lower()):
        return text
    if lead.endswith(_STOPS):
        return f"{lead} {text}"
    _, listed, last = lead.rpartition(BETWEEN)
    stop = "." if listed and len(last.split()) >= _PART_WORDS else ":"
    return f"{lead.rstrip(':')}{stop} {text}"
