"""The units of a written message: its sentences, items, headings and rows, with what governs them.

A message is a document. Only its prose is read: code, quotations, images and rules are no
units. Spans are characters of the message, half-open. Pure; linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from parley.memory.text.markdown_blocks import Block, split_blocks

UnitKind = Literal["sentence", "item", "heading", "row"]

_ABBREVIATION: Final = 12  # characters of the longest, with what stands before it
_WHOLE: Final = 160  # characters of an item that is one unit, however many sentences it has
MOST: Final = 400  # units of one message that are read: a longer one is a pasted document
FILLER: Final = "\x1a"  # stands for each character of what is not read
_CODE: Final = re.compile(r"`[^`\n]{1,400}`")
_ADDRESS: Final = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://\S+", re.IGNORECASE)
# Bounded everywhere: a run of stops, of spaces or of marks is looked at once.
# Each kind begins behind a stop, so that nothing else is looked at.
_STOP: Final = re.compile(
    r"""[.!?…。！？](?:(?<=[.!?…])[.!?"')\]*_]{0,8}"""
    r"""(?=\s{1,4}["'(\[*_@#✅❌⚠🔴→-]{0,8}[A-Z0-9\x1a"'(*_@✅❌⚠🔴→])"""
    r"""|(?<=[?!])["')*_]{0,8}(?=\s)|(?<=[。！？])[。！？]{0,7})"""
)
_SHORTENED: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|approx|mr|mrs|dr|fig|resp|no|etc)|\b\d+)\.$", re.IGNORECASE
)
_EDGE: Final = " \t\r\n"


class Unit(NamedTuple):
    """One sentence, item, heading or row of a table.

    `heading` and `lead` are indexes of the units above it: the heading it stands under, and
    of an item the sentence that leads its list in, or the item that it belongs to; -1: none.
    """

    kind: UnitKind
    start: int
    end: int
    level: int
    heading: int
    lead: int
    block: int  # index of its block
    first: bool  # the first of its block


# As `_make`, in less time.
_unit: Final[Callable[[Iterable[Any]], Unit]] = partial(tuple.__new__, Unit)


def hide_code(text: str) -> str:
    """`text`, as long as it was, without its code spans and addresses."""
    if "`" in text:
        text = _CODE.sub(_filler, text)
    if "://" in text:
        text = _ADDRESS.sub(_filler, text)
    return text


def _filler(span: re.Match[str]) -> str:
    return FILLER * len(span[0])


def split_units(text: str) -> list[Unit]:
    """The units of `text` (plain, code spans hidden) in their order, at most `MOST`."""
    blocks = split_blocks(text)
    units: list[Unit] = []
    last = [-1] * len(blocks)  # of each block: its heading's or its last sentence's unit, -1 none
    first = last.copy()
    headings = last.copy()  # of each block: the unit of the heading it stands under
    ended = 0
    for index, block in enumerate(blocks):
        kind, parent = block.kind, block.parent
        heading = lead = -1
        if parent >= 0:
            above = blocks[parent].kind
            if above == "heading":
                heading = last[parent]
            else:
                heading = headings[parent]
                lead = first[parent] if above == "item" else last[parent]
        headings[index] = heading
        begun = ended
        if kind == "paragraph" or kind == "item":
            _sentences(units, text, block, index, heading, lead)
        elif kind == "heading":
            start = _body(text, block)
            if start < block.end:
                units.append(
                    _unit(("heading", start, block.end, block.level, heading, -1, index, True))
                )
        elif kind == "row":
            units.append(
                _unit(("row", block.start, block.end, block.level, heading, -1, index, True))
            )
        ended = len(units)
        if ended > begun:
            first[index], last[index] = begun, ended - 1
            if ended >= MOST:
                break
    return units


_MARKER: Final = re.compile(
    r"\s*(?:#{1,6}\s+|[-*+•→]\s+|\(?[0-9A-Za-z]{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?"
)


def _body(text: str, block: Block) -> int:
    """Where the words of an item or a heading begin."""
    match = _MARKER.match(text, block.start, block.end)
    return match.end() if match else block.start


def _sentences(
    units: list[Unit], text: str, block: Block, index: int, heading: int, lead: int
) -> None:
    """Add the sentences of a paragraph or an item."""
    kind: UnitKind = "sentence"
    at = block.start
    if block.kind == "item":
        kind, at = "item", _body(text, block)
    end = block.end
    first = True
    level = block.level
    whole = kind == "item" and end - at < _WHOLE
    for stop in () if whole else _STOP.finditer(text, at, end):
        until = stop.end()
        if until >= end:
            break
        if stop[0] == "." and _SHORTENED.search(text, max(at, until - _ABBREVIATION), until):
            continue
        units.append(
            _unit((kind if first else "sentence", at, until, level, heading, lead, index, first))
        )
        first = False
        at = until
        if len(units) >= MOST:
            return
        while at < end and text[at] in _EDGE:
            at += 1
    if at < end:
        units.append(
            _unit((kind if first else "sentence", at, end, level, heading, lead, index, first))
        )
