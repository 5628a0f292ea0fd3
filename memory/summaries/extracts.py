"""Summaries without a model: what a range did to the ledger, then the talk that says most.

First a line for each item that something came of. Then, in the order of the talk, what was only
proposed and the units of the talk with the highest scores, each behind its author. A unit is left
out if chosen text says most of it already (maximal marginal relevance over content words), or if
there is no room. A summary of summaries is chosen from their lines, so its cost does not grow with
the talk. Deterministic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

from parley.memory.state.summary_state import LedgerChange
from parley.memory.summaries.ledger_changes import WEIGHTS
from parley.memory.summaries.ledger_lines import LedgerItem, group_changes, read_items, speaker
from parley.memory.summaries.range_summaries import CHARS_OF_EXTRACT
from parley.memory.summaries.talk_units import (
    DENIALS,
    Candidate,
    Line,
    RangeTalk,
    Words,
    weigh_sentences,
)

SHARE: Final = 500  # per mille of the talk's characters that its summary may have
LONG_SHARE: Final = 290  # of those beyond the first 2,400
_SHORT_TALK: Final = 2_400  # characters
MORE: Final = 400  # per cent of its words that the summary of long talk may have
_LONG_MESSAGES: Final = 200  # characters of a message, on average
_CHARS_OF_TALK: Final = 16  # for each word of a summary that has more than its words
FLOOR: Final = 120  # characters that a short range's may have, where the talk itself has them
_FOR_TALK: Final = 500  # per mille of the room that only proposed items leave to the talk
_NOTES: Final = 1_200  # characters of what a model gets beside the talk: some 300 tokens
_SAME: Final = 65  # per cent of its words in one chosen text, from which a unit says nothing new
# Hundredths of a logit, as the weights of the tables.
_ALIKE: Final = 1  # that a unit loses for each per cent of its words in one chosen text
_AGAIN: Final = 80  # that it loses for each chosen unit of its message
_REPORTS: Final = 100  # where it puts nothing forward, by the wordings of the cards

Chosen = list[tuple[Candidate, str]]


class LowerSummary(NamedTuple):
    """A summary that one of a higher level is made from."""

    first: int
    last: int
    text: str
    by_model: bool


class Room:
    """The characters and words that are left."""

    def __init__(self, chars: int, words: int) -> None:
        self.chars, self.words = chars, words

    def take(self, text: str, least: int = 0) -> bool:
        """Take the room of a line, if that leaves `least` characters."""
        chars, words = len(text) + 1, len(text.split())
        if chars > self.chars + 1 - least or words > self.words:
            return False
        self.chars -= chars
        self.words -= words
        return True


class Coverage:
    """How much of each of several texts the chosen ones say already, by their content words."""

    def __init__(self, texts: Sequence[frozenset[str]]) -> None:
        self._texts = texts
        self._with: dict[str, list[int]] = {}
        for place, words in enumerate(texts):
            for word in words:
                self._with.setdefault(word, []).append(place)
        self.shares = [0] * len(texts)  # per cent of its words in one chosen text

    def note(self, words: frozenset[str]) -> None:
        """Note that a text with these words is chosen.

        A text with another number or a denial still says something new.
        """
        shared: dict[int, int] = {}
        for word in words:
            for place in self._with.get(word, ()):
                shared[place] = shared.get(place, 0) + 1
        for place, count in shared.items():
            own = self._texts[place]
            share = 100 * count // len(own)
            if share > self.shares[place]:
                more = own - words if share >= _SAME else ()
                fresh = any(word in DENIALS or word[0].isdigit() for word in more)
                self.shares[place] = _SAME - 1 if fresh else share


def talk_length(lines: Sequence[Line]) -> int:
    """Characters of what was said, names left out."""
    return sum(len(line.content) for line in lines)


def most_characters(length: int) -> int:
    """The characters that the summary of talk of `length` characters may have."""
    short = min(length, _SHORT_TALK)
    return (short * SHARE + (length - short) * LONG_SHARE) // 1000


def room_for(lines: Sequence[Line], words: int) -> Room:
    """The room of the summary of `lines` in `words` words: four times as many where messages are
    long; `most_characters` of the talk's (120 where that is less, and never more than the talk).
    """
    length = talk_length(lines)
    limit = min(length, max(FLOOR, most_characters(length)), max(0, words) * CHARS_OF_EXTRACT)
    if length > _LONG_MESSAGES * len(lines):
        words = max(words, min(words * MORE // 100, length // _CHARS_OF_TALK))
    return Room(limit, words)


def extract_summary(
    lines: Sequence[Line], changes: Sequence[LedgerChange], words: int, room: Room | None = None
) -> str:
    """The summary of `lines`, oldest first, which did `changes` to the ledger.

    In the `room` that `room_for` gives, if none is given. "" where nothing was said but code and
    greetings, or `words` is below 1.
    """
    talk = RangeTalk(lines)
    return _fill(
        group_changes(changes, talk), talk.list_candidates(), room or room_for(lines, words)
    )


def ledger_notes(lines: Sequence[Line], changes: Sequence[LedgerChange]) -> str:
    """What `changes` did to the ledger, a line for each item: notes for whoever sums up `lines`.

    The weightiest that fit in 1,200 characters, in log order; "" if nothing happened.
    """
    items = group_changes(changes, RangeTalk(lines)) if changes else []
    room = Room(_NOTES, _NOTES)
    shown: dict[int, str] = {}
    for place in sorted(range(len(items)), key=lambda at: items[at].weight, reverse=True):
        text = items[place].lines()
        if room.take(text):
            shown[place] = text
    return "\n".join(text for _, text in sorted(shown.items()))


def condense_summaries(
    below: Sequence[LowerSummary], changes: Sequence[LedgerChange], words: int
) -> str:
    """The summary of a range from those of the ranges `below`, oldest first, and its `changes`.

    In as many words as the longest of them has, at least `words`. Of what a model said each line
    counts as a unit; beside it, items of the ledger are listed without their words.
    """
    most = max([words, *(len(each.text.split()) for each in below)]) if words > 0 else 0
    weights: dict[str, int] = {}
    for change in changes:
        weights[change.ref] = max(weights.get(change.ref, 0), WEIGHTS[change.kind])
    items: dict[str, LedgerItem] = {}
    said: list[tuple[str, tuple[int, int], str]] = []
    for part in below:
        lines = part.text.splitlines()
        found = _bare_items(changes, part) if part.by_model else list(read_items(lines, part.first))
        ledger = {line for item in found for line in item.lines().split("\n")}
        said += _read_talk(lines, part.first, ledger)
        for item in found:
            known = items.setdefault(item.ref, item)
            known.weight = weights.get(item.ref, 0), 0
            if known is not item:
                known.add(item.phrases)
                known.words = known.words if known.words.size else item.words
                known.reasons += item.reasons
    scores = weigh_sentences([text for _, _, text in said])
    candidates = [
        Candidate(who, place, Words.of(text, score))
        for (who, place, text), score in zip(said, scores, strict=True)
    ]
    return _fill(list(items.values()), candidates, Room(max(0, words) * CHARS_OF_EXTRACT, most))


def _bare_items(changes: Sequence[LedgerChange], part: LowerSummary) -> list[LedgerItem]:
    """What happened to items in a range that a model summarised, without anybody's sides."""
    own = [
        change
        for change in changes
        if part.first <= change.n <= part.last and WEIGHTS[change.kind] > WEIGHTS["opposed"]
    ]
    items = group_changes(own, RangeTalk(()))
    for item in items:
        item.place = part.first, -1  # before what the model says
    return items


def _read_talk(
    lines: Sequence[str], first: int, ledger: set[str]
) -> Iterator[tuple[str, tuple[int, int], str]]:
    """Who says what in the lines of a summary that are not of the ledger, and where in it."""
    who = ""
    for place, line in enumerate(lines):
        if line and line not in ledger:
            text = line[2:]
            if not line.startswith("  "):
                who, colon, text = line.partition(": ")
                who, text = (who, text) if colon else ("", line)  # of a model
            yield who, (first, place), text


def _fill(items: Sequence[LedgerItem], candidates: Sequence[Candidate], room: Room) -> str:
    """The lines of a summary, as far as there is room: items that something came of, then what was
    proposed and the talk, in their order.
    """
    covered = Coverage(
        [each.words.content for each in candidates] + [each.words.content for each in items]
    )
    ledger: dict[int, str] = {}
    ranked = sorted(range(len(items)), key=lambda place: items[place].weight, reverse=True)
    talk: Chosen = []
    for spare in (room.chars * _FOR_TALK // 1000 if candidates else 0, 0):
        for place in ranked:
            item = items[place]
            said = item.is_bare and covered.shares[len(candidates) + place] >= _SAME
            least = spare if item.is_bare else 0
            if place in ledger or said or item.words.size > room.chars - least:
                continue
            text = item.lines()
            if room.take(text, least):
                ledger[place] = text
                for words in (item.words, *item.reasons):
                    covered.note(words.content)
        turns = Counter(items[place].turn for place in ledger if items[place].is_bare)
        talk = talk or _choose(candidates, covered, room, turns)
    settled = [text for place, text in sorted(ledger.items()) if not items[place].is_bare]
    bare = [(items[place].place, text) for place, text in ledger.items() if items[place].is_bare]
    return "\n".join([*settled, *_in_order(bare, talk)])


def _choose(
    candidates: Sequence[Candidate], covered: Coverage, room: Room, turns: Counter[tuple[int, str]]
) -> Chosen:
    """The best `candidates` that say something new, with their words, in the order of the talk."""
    scores = [each.words.score for each in candidates]
    heap = [(-score, place) for place, score in enumerate(scores)]
    heapify(heap)
    weighed: set[int] = set()
    chosen: dict[tuple[int, str, str], Chosen] = {}  # by what leads them in
    while heap:
        value, place = heappop(heap)
        each, words = candidates[place], candidates[place].words
        if covered.shares[place] >= _SAME or words.size > room.chars:
            continue
        if place not in weighed:
            weighed.add(place)
            scores[place] -= _REPORTS * words.reports()
        turn = (each.place[0], each.who)
        now = _ALIKE * covered.shares[place] + _AGAIN * turns[turn] - scores[place]
        if now > value:  # its score is lower than when it was ranked
            heappush(heap, (now, place))
            continue
        text = words.render()
        lead, _, rest = text.partition(": ")
        listed = chosen.get((*turn, lead)) if rest else None
        head = f"{speaker(each.who)}: "
        if not text or not room.take(rest if listed else head + text):
            continue
        turns[turn] += 1
        covered.note(words.content)
        if listed:
            listed.append((each, rest))
        else:
            chosen[(*turn, lead if rest else text)] = [(each, text)]
    return sorted(map(_join, chosen.values()), key=lambda one: one[0].place)


def _join(parts: Chosen) -> tuple[Candidate, str]:
    """What one lead leads in, as one list behind it, in the order of the talk."""
    (first, text), *others = parts
    if not others:
        return first, text
    lead, _, rest = text.partition(": ")
    listed = sorted([(first, rest), *others], key=lambda one: one[0].place)
    return listed[0][0], f"{lead}: {'; '.join(text.rstrip('.;') for _, text in listed)}"


def _in_order(bare: Sequence[tuple[tuple[int, int], str]], talk: Chosen) -> Iterator[str]:
    """What was proposed, and a line for each text, the first of a message behind who says it."""
    before: tuple[int, str] | None = None
    lines = [(place, "", text) for place, text in bare]
    lines += [(each.place, each.who, text) for each, text in talk]
    for place, who, text in sorted(lines, key=lambda line: line[0]):
        turn = (place[0], who)
        if not who:
            yield text
        else:
            yield f"  {text}" if turn == before else f"{speaker(who)}: {text}"
        before = turn if who else None
