"""Summaries without a model: the minutes of a range, from its ledger and its talk.

A line for what a message came to, in the order of the talk: what was proposed or decided
under which handle and what became of it, with the reasons against it; else the sentence of
the message that plays a part (asks, rules, corrects, objects, reports). Then questions that
nobody answered. An item whose words find no room is not told. Room goes to the weightiest
first, and to the first sentence of each message before the second of any. What became of an
item is told where the words show it, and not where a later message takes it back.
Deterministic; linear in the range but for the sorting of what is chosen from it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from parley.memory.extraction.writing.back_references import drop_openers, points_elsewhere
from parley.memory.extraction.writing.cards import current_cards
from parley.memory.extraction.writing.unit_texts import tidy
from parley.memory.state.summary_state import LedgerChange
from parley.memory.summaries.item_words import RangeWords
from parley.memory.summaries.ledger_items import group_items
from parley.memory.summaries.point_lines import PointLines
from parley.memory.summaries.points import (
    drop_doubtful,
    list_agreement_points,
    list_item_points,
    list_talk_points,
    raise_leads,
)
from parley.memory.summaries.range_summaries import CHARS_OF_EXTRACT
from parley.memory.summaries.sentence_weights import Talk, read_talk
from parley.memory.summaries.summary_room import Room
from parley.memory.summaries.talk_sentences import Line, any_sentence

SHARE: Final = 500  # per mille of the talk's characters that its summary may have
LONG_SHARE: Final = 290  # of those beyond the first 2,400
_SHORT_TALK: Final = 2_400  # characters
MORE: Final = 400  # per cent of its words that the summary of long talk may have
_LONG_MESSAGES: Final = 200  # characters of a message, on average
_SHORT_MESSAGES: Final = 150  # characters of a message, on average
_CHARS_OF_TALK: Final = 16  # for each word of a summary that has more than its words
FLOOR: Final = 120  # characters that a short range's may have, where the talk itself has them
_MOST_OF_TALK: Final = 3  # sentences, where messages are short
# A question that is no title with a sign: in English it has such a word; or ideographs, say.
_ASKS: Final = re.compile(
    r"[^\x00-\u2e7f]|\b(?:who|whose|what|when|where|why|how|which|should|shall|can|could|may|do"
    r"|does|did|is|are|was|were|will|would|have|has|any|want|ok)\b",
    re.IGNORECASE,
)

_REQUESTS: Final = re.compile(r"\b(?:can|could|will|would) you\b", re.IGNORECASE)


def talk_length(lines: Sequence[Line]) -> int:
    """Characters of what was said, names left out."""
    return sum(len(line.content) for line in lines)


def most_characters(length: int) -> int:
    """The characters that the summary of talk of `length` characters may have."""
    short = min(length, _SHORT_TALK)
    return (short * SHARE + (length - short) * LONG_SHARE) // 1000


def extract_summary(
    lines: Sequence[Line],
    changes: Sequence[LedgerChange],
    words: int,
    talks: Sequence[Talk] | None = None,
) -> str:
    """The summary of `lines`, oldest first, which did `changes` to the ledger.

    At most `words` words (four times as many where messages are long, and there are enough of
    them), and `most_characters` of the talk's (120 where that is less, and never more than the
    talk). `talks` are those of the intervals of `lines` where they were
    read before. "" where nothing was said but code and greetings, or `words` is below 1.
    """
    length = talk_length(lines)
    limit = min(length, max(FLOOR, most_characters(length)), max(0, words) * CHARS_OF_EXTRACT)
    long = length > _LONG_MESSAGES * len(lines)
    if long:
        words = max(words, min(words * MORE // 100, length // _CHARS_OF_TALK))
    room = Room(limit, words)
    talks = [read_talk(lines)] if talks is None else talks
    items, agreements = group_items(changes)
    range_words = RangeWords({line.n: line for line in lines})
    gists = [gist for talk in talks for gist in talk.gists]
    drop_doubtful(items, gists, range_words)
    items = [item for item in items if item.changes]
    asked, open_at = _fill_questions(talks, room, 1 if length < _SHORT_TALK else 2)
    own = list_item_points(items, gists, range_words)
    taken = [*(point.place for point in own), *open_at]
    talk = list_talk_points(items, gists, taken, range_words)
    raise_leads(own, talk)
    points = [*own, *talk, *list_agreement_points(agreements)]
    minutes = PointLines(range_words, room).fill(
        points, _MOST_OF_TALK if length < _SHORT_MESSAGES * len(lines) else None
    )
    parts = [*minutes, *asked]
    return "\n".join(parts) if parts else _anything(lines, room)


def _fill_questions(
    talks: Sequence[Talk], room: Room, most: int
) -> tuple[list[str], list[tuple[int, int]]]:
    """The last `most` of the questions that the range ends with, and where they stand."""
    wordings = current_cards().texts
    lines: list[str] = []
    places: list[tuple[int, int]] = []
    for question in talks[-1].questions[-most:] if talks else ():
        text = drop_openers(tidy(question.text), wordings)
        if not _ASKS.search(text) or points_elsewhere(text, wordings):
            continue
        if most == 1 and _REQUESTS.search(text):
            continue  # of short talk it is told where it stands
        line = f"open: {question.participant}: {text}"
        if room.take(f"{line}\n"):
            lines.append(line)
            places.append((question.n, question.start))
    return lines, places


def _anything(lines: Sequence[Line], room: Room) -> str:
    """The beginning of what was said, where no sentence is fit to be quoted whole."""
    sentence = next(iter(read_talk(lines).gists), None) or any_sentence(lines)
    if sentence is None or sentence.text.endswith(("?", "？")):
        return ""
    head = f"{sentence.participant}: "
    for beside in (head, ""):
        text = room.clip(sentence.text, len(sentence.text), beside)
        if text and room.take(beside + text):
            return beside + text
    return ""
