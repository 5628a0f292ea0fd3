"""Summaries without a model: what a range did to the ledger, then the talk that says most.

First a line for each item that something came of. Then, in the order of the talk, the passages
with the highest scores, each behind its author, or behind its handle if it was proposed. A passage
is left out if chosen text says most of it already, or if there is no room. A summary of summaries
is chosen from their lines, so its cost does not grow with the talk. Deterministic.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from parley.memory.state.summary_state import LedgerChange
from parley.memory.summaries.ledger_changes import WEIGHTS
from parley.memory.summaries.ledger_lines import LedgerItem, group_changes, read_lines, speaker
from parley.memory.summaries.range_summaries import CHARS_OF_EXTRACT
from parley.memory.summaries.talk_units import (
    DENIALS,
    Line,
    Passage,
    RangeTalk,
    content_words,
    weigh_sentences,
)

_SHARE: Final = 500  # per mille of the characters of talk: a longer summary would save little
_LONG_SHARE: Final = 290  # of those beyond `_SHORT_TALK`: long talk says things twice
_SHORT_TALK: Final = 2_400  # characters: twelve messages of chat
_FLOOR: Final = 120  # characters that a short range's may have, where the talk itself has them
_WORD: Final = 6  # characters of an English word and the space behind it
_NOTES: Final = 1_200  # characters of what a model gets beside the talk: some 300 tokens
_SAME: Final = 65  # per cent of its words in one chosen line: two in three say nothing new
# Hundredths of a logit, as the weights of the tables.
_NOTED: Final = 100  # that a passage gains if the ledger has it as a proposal


class LowerSummary(NamedTuple):
    """A summary that one of a higher level is made from."""

    first: int
    last: int
    text: str
    by_model: bool


class Page:
    """The characters that a summary has left, and what it says so far."""

    def __init__(self, chars: int) -> None:
        self.left = chars + 1  # behind the last line is no line break
        self._said: list[frozenset[str]] = []

    def take(self, text: str) -> bool:
        """Take the room of some lines, if there is any."""
        if len(text) >= self.left:
            return False
        self.left -= len(text) + 1
        self._said += map(content_words, text.split("\n"))
        return True

    def says(self, words: frozenset[str]) -> bool:
        """True if one chosen text has most of the words: all numbers and denials among them."""
        return any(
            100 * len(words & said) >= _SAME * len(words) > 0
            and not any(word in DENIALS or word[0].isdigit() for word in words - said)
            for said in self._said
        )


def most_characters(length: int) -> int:
    """The characters that the summary of talk of `length` characters may have."""
    short = min(length, _SHORT_TALK)
    share = (short * _SHARE + (length - short) * _LONG_SHARE) // 1000
    return min(length, max(_FLOOR, share))


def extract_summary(
    lines: Sequence[Line], changes: Sequence[LedgerChange], words: int, most: int | None = None
) -> str:
    """The summary of `lines`, oldest first, which did `changes` to the ledger.

    In `most` characters; if not given, in those that `most_characters` gives, 24 a word at most.
    "" where nothing was said but code and greetings, or `words` is below 1.
    """
    talk = RangeTalk(lines)
    if most is None:
        length = sum(len(line.content) for line in lines)
        most = min(most_characters(length), max(0, words) * CHARS_OF_EXTRACT)
    return _fill(group_changes(changes, talk), talk.list_passages(), most)


def ledger_notes(lines: Sequence[Line], changes: Sequence[LedgerChange]) -> str:
    """What `changes` did to the ledger, a line for each item: notes for whoever sums up `lines`.

    The weightiest that fit in 1,200 characters; "" if nothing happened.
    """
    return _fill(group_changes(changes, RangeTalk(lines)), [], _NOTES) if changes else ""


def condense_summaries(
    below: Sequence[LowerSummary], changes: Sequence[LedgerChange], words: int
) -> str:
    """The summary of a range from those of the ranges `below`, oldest first, and its `changes`.

    As long as the longest of them, at least 6 characters and at most 24 for each of `words`. Of
    what a model said each line counts as a passage; beside it, items of the ledger are listed
    without their words.
    """
    items: dict[str, LedgerItem] = {}
    passages: list[Passage] = []
    for part in below:
        found, said = (
            _read_model(changes, part) if part.by_model else read_lines(part.text, part.first)
        )
        passages += said
        for item in found:
            if (known := items.setdefault(item.ref, item)) is not item:
                known.add(item.phrases)
                known.words = known.words if known.words.size else item.words
                known.reasons += item.reasons
    for change in changes:
        if change.ref in items:
            item = items[change.ref]
            item.weight = max(item.weight, WEIGHTS[change.kind])
    scores = weigh_sentences([each.render() for each in passages])
    scored = [each._replace(score=score) for each, score in zip(passages, scores, strict=True)]
    longest = max([max(0, words) * _WORD, *(len(each.text) for each in below)])
    return _fill(list(items.values()), scored, min(longest, max(0, words) * CHARS_OF_EXTRACT))


def _read_model(
    changes: Sequence[LedgerChange], part: LowerSummary
) -> tuple[list[LedgerItem], list[Passage]]:
    """What happened to items in a range that a model summed up, but for sides, and its lines."""
    own = [
        change
        for change in changes
        if part.first <= change.n <= part.last and WEIGHTS[change.kind] > WEIGHTS["opposed"]
    ]
    items = group_changes(own, RangeTalk(()))
    for item in items:
        item.words = item.words._replace(place=(part.first, -1))  # before what the model says
    lines = enumerate(part.text.splitlines())
    return items, [Passage.of_line("", (part.first, at), line) for at, line in lines if line]


def _fill(items: Sequence[LedgerItem], passages: Sequence[Passage], most: int) -> str:
    """The lines of a summary, as far as there is room: items that something came of, then what was
    proposed and the talk, in their order.
    """
    page = Page(most)
    settled: dict[int, str] = {}
    for place in sorted(range(len(items)), key=lambda at: items[at].weight, reverse=True):
        item = items[place]
        if not item.is_bare and item.words.size < page.left:
            text = item.lines()
            if page.take(text):
                settled[place] = text
    noted = [
        item.words._replace(lead=item.head, score=item.words.score + _NOTED)
        for item in items
        if item.is_bare
    ]
    chosen = _choose([*noted, *passages], page)
    return "\n".join([*(text for _, text in sorted(settled.items())), *_as_lines(chosen)])


def _choose(passages: Sequence[Passage], page: Page) -> list[tuple[Passage, str]]:
    """The best `passages` that say something new, with their words, in the order of the talk."""
    chosen = []
    for each in sorted(passages, key=lambda passage: -passage.score):
        if each.size < page.left and not page.says(each.content):
            text = each.render()
            line = f"{each.lead or speaker(each.who)}: {text}"
            if (text or each.lead) and page.take(line):
                chosen.append((each, text))
    return sorted(chosen, key=lambda one: one[0].place)


def _as_lines(chosen: Sequence[tuple[Passage, str]]) -> list[str]:
    """A line for each text, those of one lead on one; a message's first behind who says it."""
    lines: list[str] = []
    before: tuple[int, str, str] | None = None
    for each, text in chosen:
        lead, _, rest = text.partition(": ")
        turn = each.place[0], each.who, lead
        if each.lead or not each.who or before is None or before[:2] != turn[:2]:
            head = each.lead or speaker(each.who)
            lines.append(": ".join(filter(None, [head, text])))
        elif rest and before == turn:
            lines[-1] = f"{lines[-1].rstrip('.;')}; {rest}"
        else:
            lines.append(f"  {text}")
        before = None if each.lead else turn
    return lines
