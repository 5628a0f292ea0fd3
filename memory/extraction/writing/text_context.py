"""What a text needs around it to be understood alone: the words that it points back to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from parley.memory.extraction.writing.back_references import (
    drop_openers,
    end_whole,
    has_fields,
    label_key,
    points_elsewhere,
)
from parley.memory.extraction.writing.unit_texts import (
    BETWEEN,
    LONGEST,
    join,
    leads_in,
    show_code,
    tidy,
    with_parts,
)
from parley.memory.extraction.writing.units import Unit
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.text.courtesies import is_courtesy

_BEFORE_IT: Final = 3  # units before what points back that are looked at for what it means
_TITLE_LINE: Final = 100  # of a line alone that is a title
_TELLING: Final = 4  # letters of a word of a title that tells
_TITLE: Final = 160  # characters of a heading that is put before what points back
_LEAST_WORDS: Final = 2  # of what is put before a text: one alone is whom it is for
_LABELLED: Final = 80  # characters of what a label is of
_DEFINED: Final = 4  # characters behind a label that show what it is of
_SAYS: Final = re.compile(r": .*\w$")  # has led in what it leads in, without a stop behind
_DEFINES: Final = (":", "(", "- ", "=", ". ", ") ")


class ItemText(NamedTuple):
    """The text of an item, the label whose content it has from an earlier message, or "", and
    what it says without the title it stands under.
    """

    text: str
    label: str = ""
    own: str = ""


def with_context(message: WrittenMessage, start: int, text: str, limit: int = LONGEST) -> str:
    """`text`, which begins at `start`, behind what it points back to: the sentences before it,
    else its heading, else the title of the message.
    """
    wordings, units = message.text_wordings, message.units
    first = next((index for index, unit in enumerate(units) if unit.end > start), 0)
    before, whole = first, text
    for _ in range(_BEFORE_IT):
        if not points_elsewhere(whole, wordings):
            return whole
        if before in units[first][4:6] and (  # the lead does not say it either
            beside := _beside(message, first, text, limit - len(whole))
        ):
            return f"{whole.removesuffix(text)}{beside}{BETWEEN}{text}"
        before = _unit_before(units, before)
        room = limit - len(whole) - len(BETWEEN)
        listed = units[first].kind != "sentence" and before in units[first][4:6]
        words = _context(message, before, room, listed=listed) if before >= 0 else ""
        if not words or is_courtesy(words):
            break
        if _is_told(words, whole):  # its lead stands before it already
            continue
        whole = f"{words}. {whole}" if _SAYS.search(words) else join(words, whole)
    if not points_elsewhere(whole, wordings):
        return whole
    return _entitled(message, first, text, whole, limit)


def _entitled(message: WrittenMessage, index: int, text: str, whole: str, limit: int) -> str:
    """`whole`, else the `text` alone that is in it, behind the heading of the unit `index` or the
    title of the message, as far as there is room.
    """
    for above in (message.units[index].heading, 0):
        title = title_of(message, above) if 0 <= above < index else ""
        if title and title not in whole:
            for words in (whole, text):
                if len(title) + len(words) + len(BETWEEN) <= limit:
                    return join(title, words)
    return whole


def message_title(message: WrittenMessage) -> str:
    """The words of the line that a message opens with, where they say what it is about: of a
    heading, of a line alone that is no sentence, of what leads all of it in; "" for others.
    """
    units = message.units
    if len(units) < 2:
        return ""
    unit = units[0]
    words = message.text[unit.start : unit.end].rstrip(" *_")
    if unit.kind != "heading":
        alone = unit.kind == "sentence" and units[1].block != unit.block
        if not alone or len(words) > _TITLE_LINE or words.endswith((".", "!", "?", ",")):
            return ""
    title = title_of(message, 0).rstrip(":")
    return "" if BETWEEN in title else title  # the fields of a form


def under_title(message: WrittenMessage, text: str, limit: int) -> str:
    """`text` behind the title of its message, unless it has most of its words already."""
    title = message_title(message)
    if not title or len(title) + len(text) + len(BETWEEN) > limit:
        return text
    words = {word for word in title.lower().split() if len(word) >= _TELLING}
    if not words or 2 * sum(word in text.lower() for word in words) >= len(words):
        return text
    return join(title, text)


def title_of(message: WrittenMessage, index: int) -> str:
    """The words of a heading that say what stands below it is about; "" where they say nothing."""
    unit, wordings = message.units[index], message.text_wordings
    words = drop_openers(tidy(message.text[unit.start : unit.end]), wordings)
    says = len(words) < _TITLE and not wordings.generic.begins(words) and not is_courtesy(words)
    if not says or len(words.split()) < _LEAST_WORDS or has_fields(words, wordings):
        return ""
    return words


def _unit_before(units: Sequence[Unit], index: int) -> int:
    """What the unit `index` may point back to: of an item what leads in to it, of a sentence the
    one before it, behind a list what led in to that; -1 for none.
    """
    unit = units[index]
    if unit.kind != "sentence" or (unit.first and unit.lead >= 0):
        return unit.lead if unit.lead >= 0 else unit.heading
    before = index - 1
    if before < 0 or units[before].heading != unit.heading:
        return unit.heading if unit.heading != before else before
    while units[before].kind == "item" and max(units[before].lead, units[before].heading) >= 0:
        before = units[before].lead if units[before].lead >= 0 else units[before].heading
    return before


def _beside(message: WrittenMessage, index: int, text: str, room: int) -> str:
    """The words of the item before an item of one list whose `text` points back, where there is
    room; else "".
    """
    if message.names_option(index) or not points_elsewhere(text, message.text_wordings):
        return ""
    unit, before = message.units[index], message.units[max(0, index - 1)]
    if not unit.kind == before.kind == "item" or before.lead != unit.lead or unit is before:
        return ""
    words = tidy(message.text[before.start : before.end]).rstrip(" .;")
    return words if len(words) + len(BETWEEN) <= room else ""


def _context(message: WrittenMessage, index: int, room: int, *, listed: bool) -> str:
    """The words of a unit that another points back to, with what it leads in, unless that other
    is `listed` there; "" without room, and for what leads in code.
    """
    unit = message.units[index]
    words = drop_openers(tidy(message.text[unit.start : unit.end]), message.text_wordings)
    if leads_in(message, unit) and not listed:
        if show_code(message, index)[1]:
            return ""
        words = with_parts(message, index, words)
    return words if len(words) <= room and len(words.split()) >= _LEAST_WORDS else ""


def _is_told(words: str, text: str) -> bool:
    """True where `text` begins with the words that lead in, or has all of them."""
    return words in text or words.partition(":")[0] == text.partition(":")[0]


def with_label(message: WrittenMessage, span: tuple[int, int], text: str, limit: int) -> ItemText:
    """`text` with what its first label is of ("option B"), where that is said elsewhere."""
    wordings, used = message.text_wordings, ""
    for match in wordings.labels.each(text):
        if text[match.end() : match.end() + _DEFINED].lstrip().startswith(_DEFINES):
            continue
        label = label_key(match[0])
        content, is_earlier = message.label_content(label, span)
        words = end_whole(tidy(content), _LABELLED, wordings).rstrip(" .:") if content else ""
        if words and words.lower() not in text.lower():
            text = f"{text[: match.end()]} ({words}){text[match.end() :]}"
            used = label if is_earlier else ""
            break
    return ItemText(end_whole(text, limit, wordings), used)
