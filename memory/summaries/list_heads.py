"""A list or a table in few words: what leads it in, and the head words of every item of it.

All of them, each cut to as many words as leave room for the others, before any in full.
Linear in the list.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from parley.memory.extraction.writing.back_references import TextWordings, drop_openers, end_whole
from parley.memory.extraction.writing.unit_texts import BETWEEN, leads_in, tidy
from parley.memory.extraction.writing.units import Unit
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.summaries.sentence_roles import shipped_roles
from parley.memory.text.courtesies import drop_courtesies, is_courtesy
from parley.memory.text.plain_text import ELLIPSIS

LISTED: Final = 420  # characters that a list may have with its lead
CROSSES: Final = "❌✗✘❎⛔🚫"
OUTLINED: Final = 750  # and the outline of a message
_BELOW_CAPS: Final = (26, 20, 16, 13, 10, 8, 6, 5)  # words under the head of a part
_CAPS_OF_SOME: Final = (13, 10, 8)  # where not all have room
_BELOW_CHARS: Final = 150  # of what stands under it that is read
_ANSWER: Final = re.compile(
    r"\W{0,3}(yes|no|correct|incorrect|approved|rejected|agreed|not yet)\b", re.IGNORECASE
)
_LEAST_ALONE: Final = 6  # of one that does whatever its words
_DIGIT: Final = re.compile(r"\d")
_LEAST_HEAD: Final = 4  # words of a head that says something alone
_SHORTENED: Final = re.compile(r"\b(?:mrs?|ms|dr|vs|e\.g|i\.e|etc|incl|approx)$", re.IGNORECASE)
_CODE: Final = "```"
_ANNOUNCES: Final = re.compile(
    r"(?:here(?:'s| is| are)|as follows|the following)\b[^.!?]{0,40}$", re.IGNORECASE
)
_CONCLUDES: Final = re.compile(
    r"\b(?:recommend\w*|verdict|decisions?|conclusions?|consensus|outcome|status|final)\b",
    re.IGNORECASE,
)
_MORE: Final = 60  # that the part weighs which such a head opens
_NUMBERED: Final = re.compile(r"^\d{1,2}[.)]\s+")
_BOLD: Final = re.compile(r"(?:[-*•]\s+|\d+[.)]\s+)?\*\*(.{2,100}?)\*\*")
_CAPS: Final = (
    30,
    22,
    18,
    15,
    12,
    10,
    8,
    6,
    5,
)  # words of an item, the most that leave room for all
_MOST: Final = 16  # items
_TELLING: Final = 17  # quarters of a word: the average of heads that say something
_CHARS_OF_WORD: Final = 7
_CELL_WORDS: Final = 5
_HEADS: Final = 60  # characters of the heads of columns that are told
_LABELS: Final = re.compile(r"^(?:what|why|how|where|who|when)\b[^?]*$", re.IGNORECASE)
_MARGIN: Final = 4
_PARTS: Final = 3  # of a message that has an outline
_LABEL: Final = 5  # words of an item that is hardly more than a label
_BELOW: Final = 2  # items below it that are told with it
_MOST_BELOW: Final = 8  # units that are looked at for them
_BELOW_WORDS: Final = 8
_FEW: Final = 3  # words of a greeting alone
_READ: Final = 240  # characters of an item
_HEAD: Final = re.compile(r".{2,80}?(?::(?=\s)|\s[-–—](?=\s)|[.!?](?=\s))")
_CLAUSES: Final = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)[.;!?](?=\s)|,(?=\s)(?!\s(?:and|or|\d))|\s[-–—→](?=\s)|\s(?=\()"
)
# A clause that asks for another, at the end: "With a pump, the cellar".
_OPENS: Final = re.compile(
    r"(?:^|[.:;?!] )(?:while|although|though|if|when|whenever|as|since|because|unless|even|with"
    r"|without|after|before|once|to|in|on|at|by|for|from|given|despite|rather|instead|however"
    r"|unlike|during)\b[^,.:;?!]*$|, (?:while|although|if|when|because|unless|since)\b[^,.:;?!]*$",
    re.IGNORECASE,
)
# The first of several choices inside a sentence, and any of them.
_FIRST_CHOICE: Final = re.compile(r"(?<![\w)])\((?:a|1|i)\)(?=\s(?!or\b|and\b))", re.IGNORECASE)
_CHOICE: Final = re.compile(
    r"(?<![\w)])\((?:[a-h]|\d|i{1,3}|iv|v)\)(?=\s(?!or\b|and\b))", re.IGNORECASE
)
_EITHER: Final = re.compile(r"\beither\b(?! way)(?!.*\bor\b)", re.IGNORECASE)
# What holds of all that is listed behind it: some of that alone would be false.
_ALONE: Final = re.compile(r"\b(?:only|exclusively|solely)\b[^.;!?]*$", re.IGNORECASE)
_LEAST: Final = 12  # characters of a clause behind a head
_MOST_OF_HEAD: Final = 10  # words
_HEAD_WORDS: Final = 2  # of what stands before a colon, from which it says what the item is
_HANGING: Final = " ,;:-–—(["
_NAMELESS: Final = re.compile(r"^\W*$|^(?:status|note|date|file|from|to)s?$", re.IGNORECASE)


class Part(NamedTuple):
    """A part of a message: its head, and the words under that, without which a `label` is none;
    `answers` are told all.
    """

    head: str
    below: str
    label: bool
    answers: bool = False

    def cut(self, cap: int, wordings: TextWordings) -> str:
        """Both in words, `cap` of those under the head at most; "" for a label alone."""
        if self.answers:
            return f"{self.head}: {self.below}"
        if not self.below and not self.label:
            return cut_words(self.head, cap, wordings) if cap else self.head
        below = cut_words(self.below, cap, wordings) if cap and self.below else ""
        if self.below[len(below) :].startswith(":") and (
            len(below.split()) <= _HEAD_WORDS or _LABELS.match(below)
        ):
            below = ""  # another label
        head = cut_words(self.head, max(cap, _CAPS[4]), wordings)
        if not below:
            return "" if self.label else head
        between = ": " if len(head.split()) <= _MOST_OF_HEAD else ". "
        between = " " if head.endswith(("?", "!")) or below.startswith("(") else between
        return f"{head}{between}{below}".rstrip(" .;,-–—")


def tell(source: str) -> str:
    """`source` on one line without markup and signs, but for a cross, which says that it does not
    hold: before the words of its line.
    """
    if not any(sign in source for sign in CROSSES):
        return tidy(source)
    told = []
    for line in source.splitlines():
        words = tidy(line)
        crossed = words and any(sign in line for sign in CROSSES)
        told.append(f"{CROSSES[0]} {words}" if crossed else words)
    return " ".join(filter(None, told))


def list_text(message: WrittenMessage, place: int, most: int = LISTED) -> str:
    """What the unit at `place` leads in, with its own words before it: the heads of the items of
    its list, or of the rows of its table, in about `most` characters; "" where it leads nothing of
    the kind in.
    """
    lead = message.units[place]
    wordings = message.text_wordings
    items = _items_below(message, place)
    if len(items) < 2:
        return ""
    words = "" if lead.kind == "row" else drop_openers(tidy(_source(message, lead)), wordings)
    words = words.rstrip(":").rstrip()
    if _NAMELESS.match(words):
        words = ""
    room = most - len(words)
    if message.units[items[0]].kind == "row":
        return _table(message, items, words, room)
    listed = ""
    bold = sum(_opens_part(message, message.units[each]) for each in items)
    if 2 * bold > len(items):
        parts = [_part(message, each) for each in items[:_MOST]]
        parts = [part._replace(label=len(part.head.split()) < _HEAD_WORDS) for part in parts]
        listed = _fit_parts(parts, room, wordings)
        left = len(items) - len(parts)
    if not listed:
        said = [_item_words(message, each, wordings) for each in items[:_MOST]]
        said = [each for each in said if each]
        if len(said) < 2:
            return ""
        listed = _fit(said, room, wordings)
        left = len(items) - len(said)
    more = f"{BETWEEN}{left} more" if left > 0 else ""
    return _led(words, f"{listed}{more}")


def _led(lead: str, listed: str) -> str:
    if not lead or listed.startswith(lead):
        return listed
    return f"{lead} {listed}" if lead.endswith((".", "!", "?")) else f"{lead}: {listed}"


def outline_text(message: WrittenMessage, most: int = OUTLINED) -> str:
    """The parts of a long message, each by its head and what it begins with: its headings, else
    the bold words that its paragraphs and items open with; "" where it has fewer than three.
    """
    units, wordings = message.units, message.text_wordings
    headings = [each for each in units[1:] if each.kind == "heading"]
    levels = [each.level for each in headings]
    top = min((level for level in set(levels) if levels.count(level) >= _PARTS), default=None)
    parts: list[Part] = []
    for place, unit in enumerate(units):
        if not place:
            continue
        if top is not None:
            if unit.kind != "heading" or unit.level != top:
                continue
        else:
            led = unit.kind == "item" and (unit.lead >= 0 or units[1].kind == "item")
            if led or unit.kind == "heading" or not _opens_part(message, unit):
                continue
        part = _part(message, place)
        part = part._replace(label=part.label or not _says_something(part.head))
        if part.head and not wordings.generic.begins(f"{part.head}: {part.below}"):
            parts.append(part)
    if len(parts) < _PARTS:
        return ""
    return _fit_parts(parts[:_MOST], most, wordings)


def _says_something(head: str) -> bool:
    """True of the head of a part that need not have anything behind it."""
    if len(head.split()) >= _LEAST_ALONE or _DIGIT.search(head) is not None:
        return True
    return head.endswith(("?", "？")) or shipped_roles().weigh(head) > 0


def _part(message: WrittenMessage, place: int) -> Part:
    """The head of the part that opens at `place`, and the words that stand under it first."""
    units, unit, wordings = message.units, message.units[place], message.text_wordings
    source = _source(message, unit).strip()
    head = drop_openers(tell(source), wordings).replace("**", "")
    bold = _BOLD.match(source)
    below = ""
    if bold is not None and unit.kind != "heading":
        own = tell(source[bold.end() :]).lstrip(" :-–—")
        if own:
            head, below = tidy(bold[1]), own
    labels = head.endswith(":") or source.rstrip("* ").endswith(":")
    head = _NUMBERED.sub("", head.rstrip(" .:"))
    label = labels or _LABELS.match(head) is not None or len(head.split()) < _LEAST_HEAD
    leads = below.endswith(":")
    whole = "" if leads else below
    for following in range(place + 1, min(len(units), place + 1 + _MOST_BELOW)):
        if len(whole) >= _BELOW_CHARS:
            break
        words = _words_under(message, place, following)
        if words is None:
            break
        if not words:
            continue
        unit = units[following]
        if leads and _CODE in message.text[units[following - 1].end : unit.start]:
            below = whole  # what led in is code
            leads = False
        between = " " if below.endswith((".", "!", "?", ":")) else ": " if leads else ", "
        below = f"{below}{between}{words}" if below else words
        leads = (
            unit.kind == "heading" or leads_in(message, unit) or _ANNOUNCES.match(words) is not None
        )
        whole = whole if leads else below
    if answers := _answers_below(message, place):
        return Part(head, answers, label, answers=True)
    if answered := _answered(head, whole):
        return Part(answered, _ANSWER.sub("", whole, count=1).lstrip(_HANGING), False)
    return Part(head, whole, label)


def _answers_below(message: WrittenMessage, place: int) -> str:
    """The questions of the table under the head at `place` that are answered by yes or no, where
    those are two and more, and short.
    """
    answers: list[str] = []
    for following in range(place + 1, min(len(message.units), place + 1 + _MOST)):
        if _words_under(message, place, following) is None:
            break
        unit = message.units[following]
        if unit.kind == "row" and unit.level:
            answers += filter(None, [_answered(*_cells(message, unit)[:2])])
    told = ", ".join(answers)
    return told if len(answers) > 1 and len(told) <= _READ else ""


def _answered(question: str, answer: str = "") -> str:
    """A question with the yes or no that its answer begins with; "" of anything else."""
    match = _ANSWER.match(answer)
    if match is None or not question.endswith(("?", "？")):
        return ""
    return f"{_NUMBERED.sub('', question)} {match[1]}"


def _words_under(message: WrittenMessage, place: int, following: int) -> str | None:
    """The words of a unit that stands under the head at `place`; "" for none of use, None where
    the part is at its end.
    """
    unit, head, wordings = message.units[following], message.units[place], message.text_wordings
    if unit.kind == "heading" and (head.kind != "heading" or unit.level <= head.level):
        return None
    if head.kind != "heading" and _opens_part(message, unit):
        return None
    if unit.kind == "row" and unit.level:
        cells = _cells(message, unit)[:2]
        return _answered(*cells) or ": ".join(filter(None, cells)).rstrip(" .")
    if unit.kind not in ("sentence", "item", "heading"):
        return ""
    words = tell(_source(message, unit))
    choice = _CHOICE.match(words)
    words = drop_courtesies(drop_openers(words, wordings).replace("**", ""))
    if choice is not None and not words.startswith(choice[0]):
        words = f"{choice[0]} {words}"
    if unit.kind != "sentence" or leads_in(message, unit):
        words = words.rstrip(" .:")
    return "" if is_courtesy(words) and len(words.split()) <= _FEW else words


def _fit_parts(parts: list[Part], room: int, wordings: TextWordings) -> str:
    """The parts in `room` characters, each with as many of the words under its head as leave room
    for all; else the weightiest with some, and of the others the heads that say something alone;
    "" where that is no more than labels.
    """
    for cap in _BELOW_CAPS:
        told = [part.cut(cap, wordings) for part in parts]
        if _size(told) <= room:
            break
    else:
        roles = shipped_roles()
        told = [part.cut(0, wordings) for part in parts]
        weights = [
            roles.weigh(f"{part.head}: {part.below}") + _MORE * bool(_CONCLUDES.search(part.head))
            for part in parts
        ]
        for place in sorted(range(len(parts)), key=lambda place: -weights[place]):
            for cap in _CAPS_OF_SOME:
                text = parts[place].cut(cap, wordings)
                if _size(told) - len(told[place]) + len(text) <= room:
                    told[place] = text
                    break
    told = [each for each in told if each]
    words = sum(len(each.split()) for each in told)
    return BETWEEN.join(told) if len(told) > 1 and 4 * words >= _TELLING * len(told) else ""


def _size(told: list[str]) -> int:
    return sum(len(each) + len(BETWEEN) for each in told if each)


def _opens_part(message: WrittenMessage, unit: Unit) -> bool:
    """True of a unit that begins with bold words, at the beginning of its block or of a line."""
    before = message.text[max(0, unit.start - _MARGIN) : unit.start].rstrip(" ")
    return opens_bold(_source(message, unit)) and (unit.first or before.endswith("\n"))


def opens_bold(source: str) -> bool:
    """True of a paragraph or an item that opens with words in bold."""
    return source.lstrip("-*•0123456789.) ").startswith("**") or source.startswith("**")


def _fit(said: list[str], room: int, wordings: TextWordings) -> str:
    """`said` as one list in `room` characters: in full, else each by its head or first words."""
    told = said
    for cap in (_READ, *_CAPS):
        told = [cut_words(each, cap, wordings) for each in said]
        if sum(map(len, told)) + len(BETWEEN) * len(told) <= room:
            break
    heads = [_head_of(each) for each in said]
    bare = sum(each == head for each, head in zip(told, heads, strict=True))
    if told != said and all(heads) and 2 * bare >= len(told):
        told = heads  # one as the other
    return BETWEEN.join(each.rstrip(" .;,-–—") for each in told if each)


def _head_of(text: str) -> str:
    head = _HEAD.match(text)
    words = head[0].rstrip(" .:-–—") if head is not None else text
    return words if len(words.split()) <= _MOST_OF_HEAD else ""


def _table(message: WrittenMessage, rows: list[int], words: str, room: int) -> str:
    """The rows of a table, each by its first cell and the others, behind the heads of these."""
    cells = [_cells(message, message.units[place]) for place in rows[:_MOST]]
    head = next((unit for unit in reversed(message.units[: rows[0]]) if unit.kind == "row"), None)
    heads = [] if head is None else [each for each in _cells(message, head)[1:] if each]
    cap = max(2, room // (len(cells) * _CHARS_OF_WORD) - 2)
    wordings = message.text_wordings
    told = [": ".join(filter(None, [row[0], " / ".join(row[1:])])) for row in cells if row]
    if sum(map(len, told)) > room:
        cut = [[cut_words(row[0], cap, wordings), *_short(row[1:], wordings)] for row in cells]
        told = [": ".join(filter(None, [row[0], " / ".join(row[1:])])) for row in cut]
    above = f" ({' / '.join(heads)})" if len(heads) > 1 and len(" ".join(heads)) < _HEADS else ""
    listed = BETWEEN.join(each.rstrip(" .;,") for each in told)
    left = len(rows) - len(told)
    more = f"{BETWEEN}{left} more" if left > 0 else ""
    return _led(f"{words}{above}".strip(), f"{listed}{more}")


def _short(cells: list[str], wordings: TextWordings) -> list[str]:
    return [cut_words(cell, _CELL_WORDS, wordings) for cell in cells]


def _cells(message: WrittenMessage, row: Unit) -> list[str]:
    line = _source(message, row).partition("\n")[0]
    first, *rest = [tell(cell) for cell in line.strip("| ").split("|")]
    return [first, *(cell for cell in rest if cell)]


def _source(message: WrittenMessage, unit: Unit) -> str:
    return message.text[unit.start : unit.end]


def _items_below(message: WrittenMessage, place: int) -> list[int]:
    """The places of the items of the list, or the rows of the table, that the unit leads in."""
    units = message.units
    lead = units[place]
    items: list[int] = []
    for index in range(place + 1, len(units)):
        unit = units[index]
        if unit.kind == "row":
            if not unit.level and lead.kind != "row" and not items:
                continue
            if unit.level and (not items or units[items[0]].kind == "row"):
                items.append(index)
                continue
            break
        if items and units[items[0]].kind == "row":
            break
        if unit.kind == "heading":
            break
        under = unit.lead == place or (
            lead.kind == "heading" and unit.lead < 0 and unit.heading == place
        )
        if unit.kind == "item" and unit.first and under:
            items.append(index)
        elif unit.first and unit.lead < place:
            break
    return items


def _item_words(message: WrittenMessage, place: int, wordings: TextWordings) -> str:
    """The words of an item, of all of its sentences as far as they are read."""
    units, unit = message.units, message.units[place]
    end = unit.end
    for following in units[place + 1 :]:
        if following.block != unit.block or following.end - unit.start > _READ:
            break
        if _opens_part(message, following):
            break
        end = following.end
    words = drop_openers(tell(message.text[unit.start : end]), wordings).replace("**", "")
    words = drop_courtesies(words)
    if is_courtesy(words) and len(words.split()) <= _FEW:
        return ""
    words = words.rstrip(":") if leads_in(message, unit) else words
    below = _below(message, place) if len(words.split()) <= _LABEL else []
    return f"{words}: {', '.join(below)}" if below else words


def _below(message: WrittenMessage, place: int) -> list[str]:
    """The first words of the items that stand below an item which is hardly more than a label."""
    wordings = message.text_wordings
    said = []
    for unit in message.units[place + 1 : place + 1 + _MOST_BELOW]:
        if unit.lead != place:
            break
        if unit.kind == "item" and unit.first:
            words = drop_openers(tell(_source(message, unit)), wordings).rstrip(" .:")
            said.append(cut_words(words, _BELOW_WORDS, wordings))
    return said[:_BELOW]


def _drop_open(text: str) -> str:
    """`text` without a bracket at its end that is not closed, or a few words of a sentence that is
    not told.
    """
    if text.count("(") > text.count(")"):
        text = text[: text.rindex("(")].rstrip(_HANGING)
    stop = max(text.rfind(f"{mark} ") for mark in ".!?")
    few = stop > 0 and len(text[stop + 2 :].split()) < _LEAST_HEAD
    return text[:stop] if few and not _SHORTENED.search(text[:stop]) else text


def whole_choices(cut: str, text: str) -> str:
    """`cut`, the beginning of `text`; where it has some of the choices of `text` and not all, only
    what stands before the first of them, and "" where that says nothing.
    """
    choices = list(_CHOICE.finditer(text))
    first = _FIRST_CHOICE.search(cut)
    if first is not None:
        whole = len(choices) > 1 and not cut.endswith(ELLIPSIS)
        if whole and len(cut) > choices[-1].end() + _LEAST:
            return cut
        before = cut[: first.start()].rstrip(_HANGING)
        return before if len(before.split()) >= _LEAST_HEAD else ""
    either = _EITHER.search(cut)
    return "" if either is not None and cut != text and not _EITHER.search(text) else cut


def cut_words(text: str, cap: int, wordings: TextWordings) -> str:
    """`text` in at most `cap` words: all, else what ends with a sentence or a clause behind its
    head, else its head, else as many as end well; "" where it has choices, or says what alone
    holds, and not all of that has room.
    """
    if len(text.split(" ")) <= cap:
        return whole_choices(text, text)
    return whole_choices(_cut_words(text, cap, wordings), text)


def _cut_words(text: str, cap: int, wordings: TextWordings) -> str:
    cut = " ".join(text.split(" ")[:cap])
    head = _HEAD.match(text)
    end = head.end() if head is not None and head.end() <= len(cut) else 0
    clauses = [
        match.start()
        for match in _CLAUSES.finditer(cut)
        if match.start() >= end + _LEAST
        and not _OPENS.search(cut[: match.start()])
        and not (match[0] == "," and _ALONE.search(cut[: match.start()]))
    ]
    if clauses and 2 * clauses[-1] > len(cut):
        whole = end_whole(cut[: clauses[-1]], len(cut), wordings, parts=False).rstrip(_HANGING)
        whole = _drop_open(whole)
        if 2 * len(whole) > len(cut):
            return whole
    own = text[:end].rstrip(" .:-–—")
    if own.count("(") > own.count(")"):
        own = own[: own.rindex("(")].rstrip(_HANGING)
    if _ALONE.search(own) and text[:end].rstrip().endswith(":"):
        return ""
    if len(own.split()) >= _HEAD_WORDS and not own.endswith("?"):
        return own
    whole = end_whole(cut, len(cut), wordings, parts=False).rstrip(_HANGING)
    return f"{(whole or cut).rstrip('.!?')}{ELLIPSIS}"
