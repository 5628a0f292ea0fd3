"""What a ruling says, without its message: the outcome of a decision."""

from __future__ import annotations

import re
from typing import Final

from parley.memory.extraction.writing.back_references import (
    TextWordings,
    drop_openers,
    end_whole,
    first_sentence,
    is_bare_verdict,
    is_field,
)
from parley.memory.extraction.writing.item_texts import item_span, led_in
from parley.memory.extraction.writing.text_context import (
    ItemText,
    under_title,
    with_context,
    with_label,
)
from parley.memory.extraction.writing.unit_texts import (
    BETWEEN,
    join,
    leads_in,
    tidy,
    unit_words,
    with_parts,
)
from parley.memory.extraction.writing.units import Unit
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.text.courtesies import is_courtesy
from parley.memory.text.plain_text import OUTCOME_LIMIT

_READ: Final = 2000  # characters of a form
_RULING: Final = 120  # characters of a ruling before nothing that stands below is added to it
_ENOUGH: Final = 60  # of what stands below: with as many it is said
_SENTENCES: Final = re.compile(r"(?<=[.!?])\s+")
_FIELD: Final = re.compile(
    r"""["'](?P<name>[^"'{}\n]{1,60})["']\s*:\s*"""
    r"""["'](?P<value>.{0,400}?)["']\s*(?=[,}\]]\s*(?:["'}]|$))"""
)


def ruling_text(message: WrittenMessage, unit: Unit) -> ItemText:
    """What was decided, with what stands around it where there is room, or below its heading."""
    wordings = message.text_wordings
    if fields := form_fields(message.text):
        return ItemText(end_whole(fields, OUTCOME_LIMIT, wordings))
    first, last = item_span(message, unit)
    text = drop_openers(tidy(message.text[first:last]), wordings)
    if len(text) > OUTCOME_LIMIT:
        first, last = unit.start, unit.end
        text = drop_openers(tidy(message.text[first:last]), wordings)
    text = with_context(message, first, text, OUTCOME_LIMIT)
    whole = led_in(message, unit, text)  # a list that it leads in belongs to it
    if whole.count(BETWEEN) == text.count(BETWEEN) or len(whole) > OUTCOME_LIMIT:
        whole = _with_rest(message, unit, last, text)
    if is_bare_verdict(text, wordings):
        whole = under_title(message, whole, OUTCOME_LIMIT)
    return with_label(message, (first, last), whole, OUTCOME_LIMIT)._replace(own=text)


def join_proposed(
    message: WrittenMessage, ruling: ItemText, proposed: str, *, named: bool
) -> ItemText:
    """What was decided, told with what was `proposed`, where it hardly says itself what it is: in
    place of what stands below it where it is `named`, else where nothing does that says more.
    """
    wordings = message.text_wordings
    own = ruling.own if named else ruling.text
    verdict = first_sentence(own)
    if verdict != own and _only_promises(own[len(verdict) :], wordings):
        own = verdict
    if not own or not proposed or not is_bare_verdict(own, wordings):
        return ruling
    text = f"{own.rstrip(' .:;')}: {proposed}"
    return ItemText(end_whole(text, OUTCOME_LIMIT, wordings))


def _only_promises(text: str, wordings: TextWordings) -> bool:
    """True where each sentence of `text` says what its speaker does now."""
    sentences = [each for each in _SENTENCES.split(text) if each.strip()]
    return all(wordings.promises.begins(each.strip()) for each in sentences)


def _with_rest(message: WrittenMessage, unit: Unit, last: int, text: str) -> str:
    """`text` with what stands behind `last`, while it is short and up to the next heading."""
    added = False
    wordings = message.text_wordings
    for index in range(message.units.index(unit) + 1, len(message.units)):
        following = message.units[index]
        bare = is_bare_verdict(text, wordings)
        says = (added or len(text) > _ENOUGH) and not bare
        if len(text) >= _RULING or (says and following.kind == "heading"):
            break
        if following.start < last or (following.kind == "row" and not following.level):
            continue
        words = unit_words(message, following)
        if is_field(words, wordings) or is_courtesy(words) or message.reports(index):
            continue
        if following.kind == "heading" or leads_in(message, following):
            words = with_parts(message, index, words)
        if bare or len(text) <= _ENOUGH:
            words = end_whole(words, OUTCOME_LIMIT - len(text) - len(BETWEEN), wordings)
        if len(text) + len(words) > OUTCOME_LIMIT and len(text) > _ENOUGH:
            break
        if words:
            text = _add(text, words, added) if text else words
            added = True
        if len(words) > _ENOUGH:
            break
    return text


def _add(text: str, words: str, more: bool) -> str:
    """A ruling with what stands below it, the first of that behind a colon."""
    if more and not text.endswith((".", "!", "?")):
        return f"{text.rstrip(':;')}{BETWEEN}{words}"
    return join(text, words)


def form_fields(text: str) -> str:
    """The fields of a message that is one object of data, "name: value; ..."; "" for any other."""
    if not text.lstrip().startswith(("{", "[{")):
        return ""
    fields = [(pair["name"], pair["value"].strip()) for pair in _FIELD.finditer(text[:_READ])]
    return BETWEEN.join([f"{name}: {value}" for name, value in reversed(fields) if value])
