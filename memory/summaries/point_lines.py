"""The words of the points that a summary has room for, in the order of the talk.

The weightiest find room first; the last messages and the first weigh more, and each point
of a message less than the one before it. Nothing is told twice.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from parley.memory.extraction.writing.back_references import begins_elsewhere, points_elsewhere
from parley.memory.extraction.writing.cards import current_cards
from parley.memory.state.summary_state import LedgerChange
from parley.memory.summaries.item_words import RangeWords, end_clause
from parley.memory.summaries.ledger_items import Item, list_runs
from parley.memory.summaries.points import Point, puts_forward
from parley.memory.summaries.sentence_roles import shipped_roles
from parley.memory.text.plain_text import ELLIPSIS, clip, one_line
from parley.memory.text.similarity import content_stems

TEXT_LIMIT: Final = 270  # characters of one line's words
_LEAST_TEXT: Final = 30  # a shorter piece of a sentence says nothing
FEW_WORDS: Final = 44  # of a line
_LISTED: Final = 160  # per cent of that which a list may have
_STOPS: Final = (".", "!", "?")
_LEAST_OF_SENTENCE: Final = 5  # words of a whole sentence out of several
_LEAST_WORDS: Final = 8  # of a text that is cut; fewer say nothing
_LEAST_OF_TITLED: Final = 3  # behind the title of its message
_LEAST_OF_TALK: Final = 6  # words of a sentence of the talk; shorter ones report or beckon
_DASHES: Final = "-–—• "  # before the words of an item
_HANGING: Final = " ,;:-–—(["  # what a text is not cut behind
_ALIKE: Final = 60  # per cent of the fewer content words that two texts share which say the same
_ALIKE_OF_OTHERS: Final = 75  # of all that either says, where two participants say them
_CLAUSE: Final = re.compile(r"[:.?!] ")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_MOST_OF_MESSAGE: Final = 3  # lines
_AGAIN: Final = 42  # each line of a message weighs so much less than the one before it
_LAST: Final = 40  # how much more the last message weighs; the one before it half, the first
_FIRST: Final = 30
_LEAST_WEIGHT: Final = 28  # of a sentence that is told beside others, where messages are short
_LEAST_OF_LONG: Final = -80  # where messages are long, and each has more to tell
_WEIGHTY: Final = 60  # a sentence of the talk
_REASONED: Final = ("opposed", "disputed", "turned to support", "turned to oppose")


class Room:
    """The characters and words that are left."""

    def __init__(self, chars: int, words: int) -> None:
        self.chars, self.words = chars, words

    def has(self, text: str) -> bool:
        return len(text) <= self.chars and len(text.split()) <= self.words

    def take(self, text: str) -> bool:
        if not self.has(text):
            return False
        self.chars -= len(text)
        self.words -= len(text.split())
        return True

    def is_short(self, text: str) -> bool:
        """True where `text` would fit in a line, and does not fit in what is left."""
        return len(text) <= TEXT_LIMIT and len(text.split()) <= FEW_WORDS

    def clip(self, text: str, limit: int, beside: str, most: int = sys.maxsize) -> str:
        """`text`, cut to what is left with `beside` before it, and to `most` words.

        "" where that is too little.
        """
        room = min(limit, self.chars - len(beside))
        words = text.split(" ")
        left = min(most, self.words) - len(beside.split())
        if left <= 0:
            return ""
        size = room if len(words) <= left else min(room, len(" ".join(words[:left])))
        if len(text) > size:
            text = end_clause(text, size)
        if len(text) > size:
            text = clip(text[: size + 1], size).rstrip(_HANGING)
        return "" if len(text) > room < _LEAST_TEXT else text


class PointLines:
    """What has been told of a range so far, and the room that is left for more."""

    def __init__(self, range_words: RangeWords, room: Room) -> None:
        self._words = range_words
        self._room = room
        self._written: list[tuple[str, str]] = []  # who says it, and in what words
        self._titled: set[int] = set()  # messages whose titles are told
        self.handles: set[str] = set()  # of items that have words, or stand beside some

    def fill(self, points: Sequence[Point], most: int | None) -> list[str]:
        """The lines of the points that find room; with `most` sentences of the talk at most, and
        weighty ones, if it is no None.
        """
        quoted: list[Point] = []
        talk = 0
        for weight, point in rank_points(points, self._words.places()):
            is_talk = point.sentence is not None
            if self._room.words < _LEAST_WORDS:
                break
            light = (
                talk >= most or (quoted and weight < _LEAST_WEIGHT)
                if most
                else weight < _LEAST_OF_LONG
            )
            if (is_talk and light) or _is_quoted(point, quoted):
                continue
            if self._word(point):
                quoted.append(point)
                talk += is_talk
        return _join_lines(sorted(quoted, key=lambda point: point.place))

    def _word(self, point: Point) -> bool:
        """Give a point its words; False where there is no room, or they are told already."""
        if point.item is not None:
            return point.item.ref not in self.handles and self._word_item(point, point.item)
        if point.sentence is not None:
            return self._word_sentence(point)
        if point.agreement is None:
            return False
        head = point.agreement.head()
        text = self._tell(point, head, self._words.quote(point.n, point.start, point.end))
        point.text = head + text
        return bool(text)

    def _word_sentence(self, point: Point) -> bool:
        """Give a sentence its words, behind the title of its message where that is not told."""
        point.handles = [handle for handle in point.handles if handle not in self.handles]
        beside = f" ({', '.join(list_runs(point.handles))})" if point.handles else ""
        head = f"{point.who}{beside}: "
        whole = self._words.sentence(point.n, point.start, point.end)
        title = "" if point.n in self._titled else self._words.title(point.n)
        if title and not _says_title(whole, title):
            head += f"{title} – "
            point.title = title
        least = _LEAST_OF_TITLED if point.title else _LEAST_OF_TALK
        if (len(whole.split()) < least and whole.isascii()) or _hangs(whole, point):
            return False
        point.text = self._tell(point, head, whole)
        if point.text:
            self._titled.add(point.n)
            self.handles.update(point.handles)
        return bool(point.text)

    def _word_item(self, point: Point, item: Item) -> bool:
        """Give an item its words and its reasons."""
        birth = item.birth
        if birth is None:
            whole = self._words.quote(point.n, point.start, point.end)
        else:
            whole = self._words.item_words(
                birth.n, birth.start, birth.end, ruling=birth.kind == "claimed"
            )
        ruled = birth is not None and birth.kind == "claimed"
        if not ruled and begins_elsewhere(whole, current_cards().texts):
            return False
        head = f"{item.ref} {item.events()}: "
        if birth is not None and not ruled:
            whole = self._own_words(birth, head, whole).lstrip(_DASHES)
        item.text = self._tell(point, head, whole, anew=not ruled)
        if item.text and birth is not None:
            item.reasons = self._give_reasons(item)
        point.text = item.line()
        self.handles.update([item.ref] if item.text else [])
        return bool(item.text)

    def _own_words(self, birth: LedgerChange, head: str, whole: str) -> str:
        """What a proposal says; where no more than what stands before that has room, its own
        sentence.
        """
        text = self._clip(whole, head)
        announces = current_cards().texts.announces
        if text != whole and announces.occurs(text) and whole.startswith(text):
            return whole[len(text) :].lstrip(" :")  # of both there is no room
        own = self._words.own_words(birth.n, birth.start, birth.end)
        if text == whole or own[:_LEAST_TEXT] in text or puts_forward(text):
            return whole
        return own if len(own.split()) >= _LEAST_OF_SENTENCE else whole

    def _clip(self, whole: str, head: str, share: int = 100) -> str:
        return self._room.clip(
            whole, TEXT_LIMIT * share // 100, head, FEW_WORDS * share // 100 + len(head.split())
        )

    def _tell(self, point: Point, head: str, whole: str, *, anew: bool = True) -> str:
        """`whole`, cut to the room that is left behind `head`; "" where nothing fits that says
        enough, and, where it has to be new, for what is told already.
        """
        if anew and is_repeated(whole, point.who, self._written):
            return ""
        share = _LISTED if point.sentence is not None and point.sentence.leads else 100
        text = self._clip(whole, head, share)
        if not _says_enough(text, whole) or (
            anew and text.endswith(ELLIPSIS) and (self._written or self._room.is_short(whole))
        ):
            return ""
        if not self._room.take(f"{head}{text}\n"):
            return ""
        self._written.append((point.who, whole))
        return text

    def _give_reasons(self, item: Item) -> list[str]:
        """The sentences by which the item was opposed or somebody changed sides, the first of
        each.
        """
        reasons: dict[str, str] = {}
        for change in item.changes:
            if change.kind not in _REASONED or change.end <= change.start or change.who in reasons:
                continue
            head = f"\n  {one_line(change.who)}: " if change.who else "\n  "
            whole = self._words.quote(change.n, change.start, change.end)
            text = self._room.clip(whole, TEXT_LIMIT, head, FEW_WORDS + _LEAST_WORDS)
            if (
                _says_enough(text, whole)
                and (change.who, whole) not in self._written
                and self._room.take(head + text)
            ):
                reasons[change.who] = head + text
                self._written.append((change.who, whole))
        return list(reasons.values())


def _is_quoted(point: Point, quoted: Sequence[Point]) -> bool:
    """True of a point of a message of which enough is told, or whose own words are."""
    if point.is_outcome:
        return False
    same = [each for each in quoted if each.n == point.n]
    return len(same) >= _MOST_OF_MESSAGE or any(
        point.start < each.end and each.start < point.end
        for each in same
        if point.item is None and each.item is None
    )


def _join_lines(points: Sequence[Point]) -> list[str]:
    """The lines of what is told; sentences of one message that follow each other are one."""
    lines: list[str] = []
    for (_, talk), some in groupby(points, lambda point: (point.n, point.sentence is not None)):
        group = list(some)
        if not talk:
            lines += [point.text for point in group]
            continue
        handles = [handle for point in group for handle in point.handles]
        beside = f" ({', '.join(list_runs(handles))})" if handles else ""
        title = next((point.title for point in group if point.title), "")
        shown = title and not any(title in point.text for point in group)
        line = group[0].text
        for point in group[1:]:
            line += f" … {_without_heading(point.text, line)}"
        lines.append(
            f"{group[0].who}{beside}: {f'{title} – ' if shown else ''}{line}".rstrip(" ;:")
        )
    return lines


def _without_heading(text: str, before: str) -> str:
    """`text` without the heading that it and the text before it stand under."""
    for end in reversed([match.end() for match in _CLAUSE.finditer(text)]):
        if text[:end].strip() in before:
            return text[end:]
    return text


def rank_points(points: Sequence[Point], places: dict[int, int]) -> list[tuple[int, Point]]:
    """The weightiest first, with what they weigh: the last messages and the first more than
    others, and each point of a message less than the one before it.
    """
    turns: dict[int, int] = {}
    ranked = []
    for point in sorted(points, key=lambda point: (-point.weight, point.place)):
        place = places.get(point.n, 0)
        turn = turns.get(point.n, 0)
        turns[point.n] = turn + 1
        weight = point.weight - _AGAIN * turn * (not point.is_outcome)
        behind = len(places) - 1 - place
        weight += _LAST >> behind if behind < 2 else 0
        weight += _FIRST * (place == 0)
        ranked.append((-weight, point.place, point))
    return [(-weight, point) for weight, _, point in sorted(ranked, key=lambda each: each[:2])]


def _says_title(text: str, title: str) -> bool:
    """True where `text` has most of the words of `title`."""
    stems = set(content_stems(title))
    return 3 * len(stems & set(content_stems(text))) > 2 * len(stems)


def _hangs(text: str, point: Point) -> bool:
    """True of words that cannot be understood alone; not of what opens the range or corrects what
    was said before, and of weighty ones only where they begin with what they point back to.
    """
    wordings = current_cards().texts
    if point.opens or point.form or shipped_roles().has(text, "correction"):
        return False
    if not points_elsewhere(text, wordings):
        return False
    return point.weight < _WEIGHTY or begins_elsewhere(text, wordings)


def is_repeated(text: str, who: str, written: Sequence[tuple[str, str]]) -> bool:
    """True where one of `written` says nearly the same, with the same numbers."""
    stems, numbers = set(content_stems(text)), set(_NUMBER.findall(text))
    for teller, words in written:
        other = set(content_stems(words))
        shared = 100 * len(stems & other)
        if teller == who:
            alike = shared >= _ALIKE * max(1, min(len(stems), len(other)))
        else:
            alike = shared >= _ALIKE_OF_OTHERS * max(1, len(stems), len(other))
        if alike and numbers <= set(_NUMBER.findall(words)):
            return True
    return False


def _says_enough(text: str, whole: str, least: int = _LEAST_WORDS) -> bool:
    """False for nothing, and for so little of `whole` that it says nothing."""
    if text == whole:
        return bool(text)
    return len(text.split()) >= (_LEAST_OF_SENTENCE if text.endswith(_STOPS) else least)
