"""The words of the points that a summary has room for, in the order of the talk.

The weightiest find room first; the last messages and the first weigh more, and each point
of a message less than the one before it. Nothing is told twice.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from parley.memory.extraction.writing.back_references import begins_elsewhere, first_sentence
from parley.memory.extraction.writing.cards import current_cards
from parley.memory.extraction.writing.unit_texts import BETWEEN
from parley.memory.state.summary_state import LedgerChange
from parley.memory.summaries.item_words import RangeWords
from parley.memory.summaries.ledger_items import Item, list_runs
from parley.memory.summaries.list_heads import LISTED, OUTLINED
from parley.memory.summaries.points import Point, puts_forward
from parley.memory.summaries.sentence_roles import shipped_roles
from parley.memory.summaries.summary_room import FEW_WORDS, LEAST_TEXT, TEXT_LIMIT, Room
from parley.memory.summaries.talk_sentences import Sentence
from parley.memory.summaries.told_words import (
    LEAST_OF_SENTENCE,
    LEAST_WORDS,
    NUMBER,
    STOPS,
    WEIGHTY,
    Told,
    hangs,
    is_repeated,
    rank_points,
    says_enough,
    says_title,
    with_figures,
)
from parley.memory.text.plain_text import ELLIPSIS, one_line

_LISTED: Final = 200  # per cent of that which a list may have
_OUTLINED: Final = 350  # and the outline of a message
_TURNS: Final = ("first", "uncovered", "share", "rest")
_LEAST_LIST: Final = 170  # characters that a list may have
_SHORTENED: Final = re.compile(r"\b(?:mrs?|ms|dr|vs|e\.g|i\.e|etc)\.$", re.IGNORECASE)
_POINTS_BACK: Final = re.compile(
    r"\b(?:do|doing|on|to|of|with|from|for) (?:that|this|it|these|those)\b[^a-z]?(?! [a-z]+\b)|"
    r"\bdo (?:that|this|it)\b",
    re.IGNORECASE,
)
_OF_PARTS: Final = 75  # per cent of what a message has that its parts may have
_WHOLE: Final = 90  # and a list that is nearly all of it
_SAME: Final = 40  # characters by which two wordings are taken to be the same
_SAME_LIST: Final = 70
_LEAST_SAME: Final = 24
_COVER: Final = 200  # characters that the first line of a message may have
_LEAST_COVER: Final = 140  # that it has, as far as there is room
_MORE: Final = 130  # per cent of its share that the first line of a message may have
_LEAST_OF_TITLED: Final = 3  # behind the title of its message
_LEAST_OF_TALK: Final = 6  # words of a sentence of the talk; shorter ones report or beckon
_LEAST_OF_FIGURES: Final = 4  # of one that says how many
_DASHES: Final = "-–—• "  # before the words of an item
_CLAUSE: Final = re.compile(r"[:.?!] ")
_MOST_OF_MESSAGE: Final = 3  # lines
_MOST_OF_LONG: Final = 9  # of a long one
_NEAR: Final = 6  # characters between sentences that follow each other
_CHARS_PER_LINE: Final = 500  # of it, for each line more
_SHORT_TITLE: Final = 40  # characters of a title that stands before an item
_TITLE_OF_NEWS: Final = 80  # of one that says what came of something
_SHARED_BY_ALL: Final = 400  # characters by which each message is taken to be longer
_LEAST_WEIGHT: Final = 28  # of a sentence that is told beside others, where messages are short
_LEAST_OF_LONG: Final = 0  # where messages are long, and each has more to tell
_REASONED: Final = ("opposed", "disputed", "turned to support", "turned to oppose")


class PointLines:
    """What has been told of a range so far, and the room that is left for more."""

    def __init__(self, range_words: RangeWords, room: Room) -> None:
        self._words = range_words
        self._room = room
        self._size = room.size()
        self._written: list[Told] = []
        self._texts: dict[int, list[str]] = {}  # of each message
        self._titled: set[int] = set()  # messages whose titles are told
        self._sections: set[tuple[int, str]] = set()  # and the heads of whose parts
        self._told_lists: list[tuple[int, int, int]] = []  # of which message, from where to where
        self._ends: dict[int, list[int]] = {}  # of told sentences, by message
        self._most = sys.maxsize  # characters of a line that leaves room for the others
        self._limit = sys.maxsize  # characters of a line
        self._lenient = False  # tell also what hangs on words said before
        self.handles: set[str] = set()  # of items that have words, or stand beside some

    def fill(self, points: Sequence[Point], most: int | None) -> list[str]:
        """The lines of the points that find room; with `most` sentences of the talk at most, and
        weighty ones, if it is no None.
        """
        ranked = rank_points(points, self._words.places())
        quoted = self._fill_short(ranked, most) if most else self._fill_long(ranked)
        told = [point for point in quoted if not _is_within(point, quoted)]
        return self._join_lines(sorted(told, key=lambda point: point.place))

    def _fill_short(self, ranked: Sequence[tuple[int, Point]], most: int) -> list[Point]:
        """The weightiest, `most` sentences of the talk among them at most."""
        quoted: list[Point] = []
        talk = 0
        for weight, point in ranked:
            is_talk = point.sentence is not None
            if self._room.words < LEAST_WORDS:
                break
            light = talk >= most or (quoted and weight < _LEAST_WEIGHT)
            if (is_talk and light) or self._is_quoted(point, quoted):
                continue
            if self._word(point):
                quoted.append(point)
                talk += is_talk
        return quoted

    def _fill_long(self, ranked: Sequence[tuple[int, Point]]) -> list[Point]:
        """First the weightiest of each message, then more of each up to its share of the room,
        which goes by its length, then what else finds room.
        """
        quoted: list[Point] = []
        shares = self._shares()
        used = dict.fromkeys(shares, 0)
        left = list(ranked)
        for turn in _TURNS:
            self._lenient = turn == "uncovered"
            later: list[tuple[int, Point]] = []
            for weight, point in left:
                n = point.n
                if self._room.words < LEAST_WORDS:
                    return quoted
                covers = turn in ("first", "uncovered")
                if point.weight < _LEAST_OF_LONG and not covers and point.sentence is not None:
                    continue
                share = shares.get(n, 0)
                most = 1 if covers else share if turn == "share" else sys.maxsize
                if used.get(n, 0) >= most and not (point.is_outcome and turn == "first"):
                    later.append((weight, point))
                    continue
                before = self._room.chars
                self._limit = self._most = sys.maxsize
                if covers:
                    self._limit_cover(share, used)
                elif turn == "share":
                    self._limit = self._most = max(_COVER, share * _MORE // 100 - used.get(n, 0))
                if not self._is_quoted(point, quoted) and self._word(point):
                    quoted.append(point)
                    used[n] = used.get(n, 0) + before - self._room.chars
                elif turn == "first":
                    later.append((weight, point))
            left = later
        return quoted

    def _limit_cover(self, share: int, used: Mapping[int, int]) -> None:
        """Limit the first line of a message to a little more than its `share`, and in any case
        such that those messages which have none yet keep room for a short one.
        """
        others = sum(not count for count in used.values()) - 1
        least = min(_LEAST_COVER, self._size // max(1, len(used)))
        self._most = max(least, self._room.size() - others * least)
        self._limit = max(least, min(max(_COVER, share * _MORE // 100), self._most))

    def _shares(self) -> dict[int, int]:
        """The characters of the room that each message has before others have more."""
        sizes = {n: self._words.length(n) + _SHARED_BY_ALL for n in self._words.places()}
        whole = max(1, sum(sizes.values()))
        return {n: self._room.size() * size // whole for n, size in sizes.items()}

    def _is_quoted(self, point: Point, quoted: Sequence[Point]) -> bool:
        """True of a point of a message of which enough is told, or whose own words are."""
        if point.is_outcome:
            return False
        same = [each for each in quoted if each.n == point.n]
        most = min(_MOST_OF_LONG, _MOST_OF_MESSAGE + self._words.length(point.n) // _CHARS_PER_LINE)
        return len(same) >= most or any(
            point.start < each.end and each.start < point.end
            for each in same
            if point.item is None and each.item is None
        )

    def _join_lines(self, points: Sequence[Point]) -> list[str]:
        """The lines of what is told: the sentences of one message together, each part of it on a
        line of its own, with `…` between sentences that do not follow each other.
        """
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
            line = f"{group[0].who}{beside}: {f'{title} – ' if shown else ''}"
            before: Point | None = None
            for point in group:
                line += self._between(before, point) + self._in_section(before, point, line)
                before = point
            lines.append(line.rstrip(" ;:"))
        return lines

    def _between(self, before: Point | None, point: Point) -> str:
        if before is None:
            return ""
        if before.sentence is None or point.sentence is None:
            return " … "
        if before.sentence.block != point.sentence.block:
            return "\n  - "
        return " " if self._words.follows(point.n, before.end, point.start) else " … "

    def _in_section(self, before: Point | None, point: Point, line: str) -> str:
        text = point.text
        if before is not None and not point.leads:
            text = _without_heading(text, line)
        told = before is not None and (
            before.section == point.section or (not before.leads and point.section in before.text)
        )
        if not point.section or told or text.startswith(point.section):
            return text
        return f"{point.section}: {text}"

    def _word(self, point: Point) -> bool:
        """Give a point its words; False where there is no room, or they are told already."""
        if point.item is not None:
            return point.item.ref not in self.handles and self._word_item(point, point.item)
        if point.sentence is not None:
            return self._word_sentence(point, point.sentence)
        if point.agreement is None:
            return False
        head = point.agreement.head()
        text = self._tell(point, head, self._words.quote(point.n, point.start, point.end))
        point.text = head + text
        return bool(text)

    def _word_sentence(self, point: Point, sentence: Sentence) -> bool:
        """Give a sentence its words, behind the title of its message where that is not told."""
        point.handles = [handle for handle in point.handles if handle not in self.handles]
        beside = f" ({', '.join(list_runs(point.handles))})" if point.handles else ""
        head = f"{point.who}{beside}: "
        if point.weight < WEIGHTY and any(
            n == point.n and start <= point.start < end for n, start, end in self._told_lists
        ):
            return False  # its head is told
        if sentence.person:
            self._limit = sys.maxsize  # what a person asks for is told in full
        whole = self._words.sentence(sentence, self._listed(self._most_listed(sentence)))
        same = _SAME_LIST if sentence.leads else _SAME
        if not sentence.outline and self._has_part(point.n, whole[:same]):
            return False
        if sentence.outline:
            whole = self._without_told(point.n, whole)
        head += self._under(point, whole)
        if len(whole.split()) < self._least(point, sentence, whole) and whole.isascii():
            return False
        lenient = self._lenient or sentence.run or self._goes_on(point)
        if not lenient and hangs(whole, point) and not self._is_known(point, whole):
            return False
        own = sentence.text[:LEAST_TEXT]
        if whole.find(own) > 0 and own not in self._clip(whole, head):
            return False  # of it and the sentence that it needs there is no room
        point.text = self._tell(point, head, whole)
        if point.text:
            if sentence.leads:
                self._told_lists.append((point.n, sentence.end, sentence.reach))
            self._ends.setdefault(point.n, []).append(point.end)
            self._titled.add(point.n)
            self._sections.add((point.n, point.section))
            self.handles.update(point.handles)
        return bool(point.text)

    def _most_listed(self, sentence: Sentence) -> int:
        """The characters of a list, or of the parts of a message: most of what the message has,
        where that has little else.
        """
        if not (sentence.outline or (sentence.title and sentence.leads)):
            return LISTED
        listed = sentence.reach - sentence.start
        whole = not sentence.outline and 4 * listed > 3 * self._words.length(sentence.n)
        return min(OUTLINED, self._limit * (_WHOLE if whole else _OF_PARTS) // 100)

    def _has_part(self, n: int, words: str) -> bool:
        """True of words that a list or the parts of their message told have."""
        return len(words) >= _LEAST_SAME and any(words in text for text in self._texts.get(n, ()))

    def _without_told(self, n: int, outline: str) -> str:
        """An outline without the parts that are told already."""
        parts = [
            part
            for part in outline.split(BETWEEN)
            if len(words := part.rpartition(": ")[2][:_SAME]) < _LEAST_SAME
            or not any(words in text for text in self._texts.get(n, ()))
        ]
        return BETWEEN.join(parts)

    def _is_outlined(self, n: int, whole: str) -> bool:
        """True of words that the outline of their message has."""
        words = first_sentence(whole).rpartition(": ")[2][:_SAME]
        return len(words) >= _LEAST_SAME and any(
            words in text and text.count(BETWEEN) > 1 for text in self._texts.get(n, ())
        )

    def _is_known(self, point: Point, whole: str) -> bool:
        return self._words.is_known(point.n, point.start, whole)

    def _goes_on(self, point: Point) -> bool:
        """True of a sentence that follows one which is told."""
        ends = self._ends.get(point.n, ())
        return any(
            0 <= point.start - end <= _NEAR and self._words.follows(point.n, end, point.start)
            for end in ends
        )

    def _under(self, point: Point, whole: str) -> str:
        """What stands before the words of a sentence: the title of its message and the head of
        its part, where they are not told.
        """
        head = ""
        title = "" if point.n in self._titled else self._words.title(point.n)
        if title and not says_title(whole, title):
            head = f"{title} – "
            point.title = title
        section = self._words.section(point.n, point.start, point.end)
        if section and section not in (title, *whole.split(": ")[:2]):
            point.section = section
            if (point.n, section) not in self._sections:
                head += f"{section}: "
        return head

    def _least(self, point: Point, sentence: Sentence, whole: str) -> int:
        """The words that a sentence has to have: few where something stands before them."""
        if sentence.brief:
            return 1
        bold = sentence.marked and ": " in whole
        if point.title or point.section or bold or self._lenient or sentence.run:
            return _LEAST_OF_TITLED
        return _LEAST_OF_FIGURES if NUMBER.search(whole) else _LEAST_OF_TALK

    def _word_item(self, point: Point, item: Item) -> bool:
        """Give an item its words and its reasons."""
        birth = item.birth
        if birth is None:
            whole = self._words.quote(point.n, point.start, point.end)
        else:
            whole = self._words.item_words(
                birth.n, birth.start, birth.end, ruling=birth.kind == "claimed", most=self._listed()
            )
        ruled = birth is not None and birth.kind == "claimed"
        hanging = not ruled and begins_elsewhere(whole, current_cards().texts)
        if hanging and not self._lenient and not self._is_known(point, whole):
            return False
        if birth is not None and shipped_roles().people.occurs(birth.who):
            self._limit = sys.maxsize  # what a person asks for is told in full
        head = f"{item.ref} {item.events()}: "
        title = self._words.title(point.n) if birth is not None else ""
        most = _TITLE_OF_NEWS if shipped_roles().has(title, "result") else _SHORT_TITLE
        if title and len(title) <= most and point.n not in self._titled:
            if not says_title(whole, title):
                head += f"{title} – "
            self._titled.add(point.n)
        if birth is not None and not ruled:
            whole = self._own_words(birth, head, whole).lstrip(_DASHES)
        if birth is not None and self._is_outlined(birth.n, whole):
            whole = first_sentence(whole)
        item.text = self._tell(point, head, whole, anew=not ruled)
        if item.text and birth is not None:
            item.reasons = self._give_reasons(item)
        point.text = item.line()
        if item.text and head.endswith(" – "):
            point.text = head + item.text + "".join(item.reasons)
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
        figures = with_figures(whole)
        if text != whole and figures and figures not in text:
            return figures
        own = self._words.own_words(birth.n, birth.start, birth.end)
        person = shipped_roles().people.occurs(birth.who) or _POINTS_BACK.search(own)
        if text == whole or own[:LEAST_TEXT] in text or puts_forward(text) or person:
            return whole
        return own if len(own.split()) >= LEAST_OF_SENTENCE else whole

    def _listed(self, most: int = LISTED) -> int:
        """The characters that a list may have now, `most` at most."""
        return max(_LEAST_LIST, min(most, self._limit, self._room.size()))

    def _clip(self, whole: str, head: str, share: int = 100) -> str:
        limit = TEXT_LIMIT * share // 100
        most = FEW_WORDS * share // 100 + len(head.split())
        if share == 100 and self._limit < min(limit, len(whole)):
            for size in (self._limit, min(self._most, len(first_sentence(whole)))):
                text = self._room.clip(whole, min(size, limit), head, most)
                if text.endswith(STOPS) and not _SHORTENED.search(text):
                    return text
        text = self._room.clip(whole, limit, head, most)
        return "" if text != whole and _SHORTENED.search(text) else text

    def _tell(self, point: Point, head: str, whole: str, *, anew: bool = True) -> str:
        """`whole`, cut to the room that is left behind `head`; "" where nothing fits that says
        enough, and, where it has to be new, for what is told already.
        """
        results = point.sentence is not None
        told = Told.of(point.who, whole)
        if anew and is_repeated(told, self._written, results=results):
            return ""
        share = _LISTED if point.leads or whole.count(BETWEEN) > 1 else 100
        if point.sentence is not None and (point.sentence.outline or point.sentence.title):
            share = _OUTLINED
        text = self._clip(whole, head, share)
        if point.leads and text != whole and not self._lenient:
            return ""  # part of a list
        if not says_enough(text, whole) or (
            anew
            and not self._lenient
            and text != whole
            and text.endswith(ELLIPSIS)
            and (self._written or self._room.is_short(whole))
        ):
            return ""
        if not self._room.take(f"{head}{text}\n"):
            return ""
        self._written.append(told)
        self._texts.setdefault(point.n, []).append(whole)
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
            text = self._room.clip(whole, TEXT_LIMIT, head, FEW_WORDS + LEAST_WORDS)
            if (
                says_enough(text, whole)
                and len(text) <= self._most
                and not is_repeated(Told.of(change.who, whole), self._written)
                and self._room.take(head + text)
            ):
                reasons[change.who] = head + text
                self._written.append(Told.of(change.who, whole))
        return list(reasons.values())


def _is_within(point: Point, points: Sequence[Point]) -> bool:
    """True of a proposal whose words another one of its message has as well."""
    item = point.item
    if item is None or point.is_outcome or item.reasons:
        return False
    return any(
        other is not point
        and other.n == point.n
        and other.item is not None
        and item.text in other.item.text
        and len(item.text) < len(other.item.text)
        for other in points
    )


def _without_heading(text: str, before: str) -> str:
    """`text` without the heading that it and the text before it stand under."""
    for end in reversed([match.end() for match in _CLAUSE.finditer(text)]):
        if text[:end].strip() in before:
            return text[end:]
    return text
