"""What a unit shows: the classes of its words, where they stand, its form, what it is under.

A sign is a short text: `+agree` a word of that class, `^agree` the first word, `~agree` one of the
first four, `we+agree` with "I" or "we" in the unit, `?agree` in a question, `!agree` behind a
denial; `under+decide` in the heading above, `led+decide` in the lead-in; `.item` a form. The
names are for those who fit weights and for explanations: masks of classes are what is read.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from parley.memory.extraction.prose.prose_tables import ProseTables, bits
from parley.memory.extraction.writing.units import Unit

SIZES: Final = (20, 40, 80, 160, 320)  # characters
FAMILIES: Final = ("+", "^", "~", "we+", "?", "!")
ENDS: Final = 3  # units at the top, or the tail, of a message
_NEAR: Final = 4  # words that a unit begins with
_WE: Final = 12  # words among which "I" or "we" says who acts
_BEHIND: Final = 3  # words that a denial reaches


class UnitSigns(NamedTuple):
    """The classes of a unit's words, one mask for each of `FAMILIES`."""

    whole: int
    first: int
    near: int
    ours: int
    asked: int
    denied: int


NO_SIGNS: Final = UnitSigns(0, 0, 0, 0, 0, 0)


def read_signs(words: Sequence[str], tables: ProseTables) -> UnitSigns:
    """The signs of a unit of these words, in small letters."""
    known = tables.masks
    whole = near = reach = 0
    for place, word in enumerate(words):
        if word in known:
            mask = known[word]
            whole |= mask
            if place < _WE:
                reach |= mask
                if place < _NEAR:
                    near |= mask
    if not whole:
        return NO_SIGNS
    first = known.get(words[0], 0)
    ours = whole if reach & tables.we else 0
    asked = whole if "?" in words else 0
    denied = 0
    if not tables.negations.isdisjoint(words):
        for place, word in enumerate(words):
            if word in tables.negations:
                for behind in words[place + 1 : place + 1 + _BEHIND]:
                    denied |= known.get(behind, 0)
    return UnitSigns(whole, first, near, ours, asked, denied)


def name_signs(signs: UnitSigns, tables: ProseTables) -> Iterator[str]:
    """The signs by name."""
    for family, mask in zip(FAMILIES, signs, strict=True):
        for bit in bits(mask):
            yield f"{family}{tables.classes[bit]}"


def weigh_form(unit: Unit, place: int, count: int, tables: ProseTables) -> int:
    """What the form of a unit weighs, packed."""
    length = unit.end - unit.start
    shown = (
        unit.kind, bool(unit.level), bisect_left(SIZES, length), unit.first, count == 1,
        place < ENDS, place >= count - ENDS,
    )  # fmt: skip
    known = tables.forms.get(shown)
    if known is None:
        signs = form_signs(unit, place, count)
        known = tables.forms[shown] = sum(map(tables.units.sign, signs))
    return known


def form_signs(unit: Unit, place: int, count: int) -> list[str]:
    """What a unit is, how long, and where among the `count` units of its message."""
    signs = [f".{unit.kind}"]
    if unit.level:
        signs.append(".nested")
    length = unit.end - unit.start
    signs += [f".>{size}" for size in SIZES if length > size]
    if not unit.first:
        signs.append(".on")
    if count == 1:
        signs.append(".only")
    if place < ENDS:
        signs.append(".top")
    if place >= count - ENDS:
        signs.append(".tail")
    return signs
