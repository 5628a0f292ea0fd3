"""Texts that stand alone: what an item of written talk says, without its message.

The sentence that says it with as much of its block as fits, what follows before what leads up
to it; no markup, no signs around it. What is too short is told under its heading.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from parley.memory.extraction.writing.alternatives import list_others
from parley.memory.extraction.writing.back_references import begins_elsewhere, drop_openers
from parley.memory.extraction.writing.text_context import (
    ItemText,
    title_of,
    under_title,
    with_context,
    with_label,
)
from parley.memory.extraction.writing.unit_texts import (
    BETWEEN,
    LONG,
    LONGEST,
    join,
    leads_in,
    tidy,
    unit_words,
    with_parts,
)
from parley.memory.extraction.writing.units import Unit
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.text.courtesies import drop_courtesies, is_courtesy

_WORDS: Final = 10  # a sentence of fewer says what it is about under its heading alone
_WORDS_OF_ITEM: Final = 12  # an item of a list
_WORDS_OF_PART: Final = 3  # one of so few is a part of what the list says
_SHORT: Final = 36  # characters: a sentence alone of fewer is read with the one before it
_FULL: Final = 200  # characters of a text that may have no room for what it points back to
_TITLED: Final = 20  # words: an item of fewer is told behind the title of its message
_LEAST_ALONE: Final = 5  # words of an instruction that is told without
_LEAST_WORDS: Final = 3  # of what says anything
# A path or an address says nothing by itself.
_NO_PATH: Final = re.compile(r"\s*(?<!\S)\S*[/\\]\S+")
_BARE: Final = 80  # characters of a title that says little alone


def item_span(message: WrittenMessage, unit: Unit, apart: Sequence[Unit] = ()) -> tuple[int, int]:
    """The unit with as much of its block as makes a text of its own, what follows it first.

    What points back ("These must ...") takes the sentence before it, of the block before it if
    need be, and so does a short sentence alone. Nothing of the units `apart`, which are items
    themselves, nor a sentence behind it that only leads on.
    """
    units = message.units
    low = high = units.index(unit)

    def fits(index: int, longest: int = LONG, *, beside: bool = False) -> bool:
        near = 0 <= index < len(units) and (not beside or units[index].block == unit.block)
        if not near or units[index] in apart:
            return False
        first, last = min(index, low), max(index, high)
        return units[last].end - units[first].start <= longest and not message.reports(index)

    def is_free(index: int) -> bool:
        """True for a sentence of the block before, of which no item takes any."""
        before = units[index]
        if index < 0 or before.kind != "sentence" or unit.block - before.block > 1:
            return False
        return not any(each.block == before.block for each in apart if each is not unit)

    if message.points_back(low) and is_free(low - 1) and fits(low - 1, LONGEST):
        low -= 1
    while fits(high + 1, beside=True) and not leads_in(message, units[high + 1]):
        high += 1
    follows = any(each.block == unit.block and each.start < unit.start for each in apart)
    while not follows and fits(low - 1, beside=True):
        low -= 1
    alone = unit.kind == "sentence" and units[high].end - units[low].start < _SHORT
    if alone and is_free(low - 1) and fits(low - 1) and not leads_in(message, units[low - 1]):
        low -= 1
    while low < units.index(unit) and is_courtesy(message.text[units[low].start : units[low].end]):
        low += 1
    return units[low].start, units[high].end


def item_text(message: WrittenMessage, unit: Unit, span: tuple[int, int]) -> ItemText:
    """What an item says: the words of its span, with what they need to be understood alone."""
    wordings = message.text_wordings
    words = unit_words(message, unit) if unit.kind == "row" else tidy(message.text[slice(*span)])
    whole = drop_openers(words, wordings)
    text = drop_courtesies(whole)
    if text != whole and begins_elsewhere(text, wordings):  # of what was granted
        text = whole
    text = alone = led_in(message, unit, text)
    known = ""
    whole = with_context(message, span[0], text)
    if whole == text:  # else its heading stands before what it points back to
        text = headed(message, unit, text)
        bare = _is_bare_title(message, message.units.index(unit))
        if text != alone and not bare and _says_itself(message, unit, alone):
            known, text = text, alone[0].upper() + alone[1:]
        if text != whole:
            whole = with_context(message, span[0], text)
    own = (unit.start, unit.end)
    if whole == text and len(text) > _FULL and span != own and begins_elsewhere(text, wordings):
        return item_text(message, unit, own)  # alone it leaves room for what is meant
    told = with_label(message, span, whole, LONGEST)
    under = whole.lower() != alone.lower()  # a heading, or what it points back to
    if under:
        told = told._replace(own=told.text)
    else:
        told = told._replace(text=_titled(message, unit, told.text), own=known or told.text)
    named = message.names_option(message.units.index(unit))
    if named:  # options are told apart by what each is
        told = told._replace(own=unit_words(message, unit))
    if not under and not named:
        return told
    others = list_others(message, unit, LONG - len(told.text))
    return told._replace(text=BETWEEN.join([told.text.rstrip(" .;"), *others])) if others else told


def _titled(message: WrittenMessage, unit: Unit, text: str) -> str:
    """`text`, which `unit` says, behind the heading that it needs: the option behind what is to
    be chosen, what is too short to say what it is about behind the title of its message.
    """
    index = message.units.index(unit)
    if message.is_option(index):
        for above in (unit.lead, unit.heading):
            words = title_of(message, above) if above >= 0 else ""
            if words and words not in text and len(words) + len(text) < LONG:
                text = join(words, text)
    if len(text.split()) >= _TITLED or _says_itself(message, unit, text):
        return text
    if unit.kind == "sentence" and unit.heading > 0:
        heading = title_of(message, unit.heading)
        if heading and len(heading) + len(text) < LONG:
            return join(heading, text)
    titled = under_title(message, text, LONG)
    lead = _governing(message, unit) if unit.kind == "item" and titled != text else ""
    if not lead or lead in text or len(lead) + len(text) >= LONG:
        return titled
    leader = message.units[unit.lead if unit.lead >= 0 else unit.heading]
    return join(lead, text) if lead.endswith("?") or leads_in(message, leader) else titled


def _says_itself(message: WrittenMessage, unit: Unit, text: str) -> bool:
    """True of what is understood without a heading: a sentence, or an instruction under nothing
    that governs it ("Should we:", "If helpful, I can:"), with what it is to be done to.
    """
    wordings, words = message.text_wordings, text.split()
    if len(words) < _LEAST_ALONE or wordings.objectless.occurs(text):
        return False
    label, colon, rest = text.partition(": ")
    if unit.kind == "sentence" and colon and " " not in label:  # "Principles: ..." of what?
        return message.begins_with_verb(rest.lower())
    if unit.kind != "item":
        return unit.kind == "sentence" and len(words) > _LEAST_ALONE
    return (
        not _governing(message, unit)
        and not words[0].endswith(":")
        and message.begins_with_verb(text.lower())
    )


def _governing(message: WrittenMessage, unit: Unit) -> str:
    """What `unit` stands under, where it says something else without that; else ""."""
    above = unit.lead if unit.lead >= 0 else unit.heading
    words = "" if above < 0 else message.text[message.units[above].start : message.units[above].end]
    return tidy(words) if words and message.text_wordings.governs.occurs(tidy(words)) else ""


def is_told(message: WrittenMessage, unit: Unit, text: str) -> bool:
    """False of a text that only leads something in, or names what it does not say."""
    words = _NO_PATH.sub("", text) if "/" in text or "\\" in text else text
    if text.endswith(":") or words.count(" ") < _LEAST_WORDS - 1:
        return False
    own = tidy(message.text[unit.start : unit.end]).rstrip(":")
    if leads_in(message, unit) and text.rstrip(":") == own:  # of what it leads in nothing is told
        return False
    if unit.kind == "heading":
        return len(text) > len(own) or message.instructs(message.units.index(unit))
    return len(text.split()) >= _LEAST_WORDS


def led_in(message: WrittenMessage, unit: Unit, text: str) -> str:
    """`text`, which `unit` says, with what it leads in, or announces."""
    index = message.units.index(unit)
    if unit.kind == "heading" or leads_in(message, unit):
        return with_parts(message, index, text)
    if message.text_wordings.announces.occurs(text) and index + 1 < len(message.units):
        following = unit_words(message, message.units[index + 1])
        return join(text, following) if len(text) + len(following) < LONGEST else text
    return text


def headed(message: WrittenMessage, unit: Unit, text: str) -> str:
    """`text`, which `unit` says, under its heading where it is short.

    An option says what it is by itself: answers name it by what its text begins with.
    """
    index = message.units.index(unit)
    if unit.kind == "heading" or message.is_option(index):
        return text
    if _is_bare_title(message, index):
        return _with_next(message, index, text)
    above = unit.lead if unit.lead >= 0 else unit.heading
    few = {"sentence": _WORDS, "row": LONGEST}.get(unit.kind, _WORDS_OF_ITEM)
    if above < 0 or len(text.split()) >= few:
        return text
    lead = message.units[above]
    words = drop_openers(tidy(message.text[lead.start : lead.end]), message.text_wordings)
    if message.text_wordings.generic.begins(words) and under_title(message, text, LONG) != text:
        return text  # which the title of the message says more about
    if unit.kind == "item" and len(text.split()) < _WORDS_OF_PART:  # told with those beside it
        return with_parts(message, above, words)
    return join(words, text) if len(words) + len(text) < LONGEST else text


def _is_bare_title(message: WrittenMessage, index: int) -> bool:
    """True for the line that a message opens with where it is short and no sentence."""
    unit = message.units[index]
    words = message.text[unit.start : unit.end]
    alone = index == 0 and len(message.units) > 1 and message.units[1].block != unit.block
    return alone and len(words) < _BARE and words.rstrip(" *_")[-1:] not in ".!?:"


def _with_next(message: WrittenMessage, index: int, text: str) -> str:
    """`text` with the words behind it and what they lead in, where there is room."""
    following = message.units[index + 1]
    words = drop_openers(unit_words(message, following), message.text_wordings)
    if following.kind == "heading" or leads_in(message, following):
        words = with_parts(message, index + 1, words)
    return join(text, words) if words and len(text) + len(words) < LONGEST else text
