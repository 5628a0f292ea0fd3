"""Summaries without a model: what the range did to the ledger, then the talk that carries most.

A line an item: what was proposed or decided, by whom, under which handle, and what
became of it; then who changed sides on what came before, questions that stay open, and
a sentence or two of the talk. Of the talk's length 35 % at most: of what does not fit
sentences of the talk go first, then the lesser changes. Deterministic; linear in the
range but for the sorting of what is chosen from it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from parley.memory.state.summary_state import LedgerChange
from parley.memory.summaries.ledger_changes import WEIGHTS
from parley.memory.summaries.talk_sentences import (
    Line,
    Sentence,
    Talk,
    any_sentence,
    quote_line,
    read_talk,
)
from parley.memory.text.plain_text import clip, one_line

SHARE: Final = 350  # per mille of the talk's characters that its summary may have
FLOOR: Final = 120  # characters that a short range's may have, where the talk itself has them
_TEXT_LIMIT: Final = 160  # characters of what was proposed or decided
_LEAST_TEXT: Final = 30  # a shorter piece of a sentence says nothing
_FEW_WORDS: Final = 16  # of an item's line, where there are many
_LEAST_WORDS: Final = 8  # of an item that is cut; fewer say nothing
_HANGING: Final = " ,;:-–—(["  # what a text is not cut behind
_TALK_SENTENCES: Final = 6
TALK_SHARE: Final = 35  # per cent of the room beside the bare ledger that the talk has
_DECIDED: Final = 20  # beside ten times the weight of a change: a decision is worded first
_REASONED: Final = ("opposed", "disputed", "turned to support", "turned to oppose")
_BIRTHS: Final = ("proposed", "claimed")


class _Room:
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

    def reserve(self, share: int) -> _Room:
        """Take `share` per cent of what is left, to be given back by `add`."""
        part = _Room(self.chars * share // 100, self.words * share // 100)
        self.chars -= part.chars
        self.words -= part.words
        return part

    def add(self, part: _Room) -> None:
        self.chars += part.chars
        self.words += part.words

    def clip(self, text: str, limit: int, beside: str, most: int = sys.maxsize) -> str:
        """`text`, cut to what is left with `beside` before it, and to `most` words.

        "" where that is too little.
        """
        room = min(limit, self.chars - len(beside))
        words = text.split(" ")
        left = min(most, self.words) - len(beside.split())
        if len(words) > left > 0:
            text = " ".join(words[:left])
            if not text.endswith((".", "!", "?", "…")):
                text = f"{text.rstrip(_HANGING)}…"
        elif left <= 0:
            return ""
        return "" if len(text) > room < _LEAST_TEXT else clip(text, room)


class _Item:
    """What the range did to one item, and what of it has found room."""

    def __init__(self, ref: str) -> None:
        self.ref = ref
        self.changes: list[LedgerChange] = []
        self.text = ""
        self.reasons: list[str] = []

    @property
    def weight(self) -> int:
        return max(WEIGHTS[change.kind] for change in self.changes)

    @property
    def birth(self) -> LedgerChange | None:
        """The change by which the range brought the item."""
        return next((change for change in self.changes if change.kind in _BIRTHS), None)

    def events(self) -> str:
        events: dict[tuple[str, str], list[str]] = {}
        for change in self.changes:
            names = events.setdefault((change.kind, change.other), [])
            if change.who and change.who not in names:
                names.append(one_line(change.who))
        phrases = [_phrase(kind, other, names) for (kind, other), names in events.items()]
        return "; ".join(filter(None, phrases))


def talk_length(lines: Sequence[Line]) -> int:
    """Characters of what was said, names left out."""
    return sum(len(line.content) for line in lines)


def extract_summary(
    lines: Sequence[Line],
    changes: Sequence[LedgerChange],
    words: int,
    talks: Sequence[Talk] | None = None,
) -> str:
    """The summary of `lines`, oldest first, which did `changes` to the ledger.

    At most `words` words, and 35 % of the talk's characters (120 where that is less, and
    never more than the talk). `talks` are those of the intervals of `lines` where they were
    read before. "" where nothing was said but code and greetings, or `words` is below 1.
    """
    length = talk_length(lines)
    room = _Room(min(length, max(FLOOR, length * SHARE // 1000)), words)
    by_n = {line.n: line for line in lines}
    talks = [read_talk(lines)] if talks is None else talks
    items = _fill_items(changes, room)
    talk = room.reserve(TALK_SHARE) if any(each.central for each in talks) else _Room(0, 0)
    quoted = _quote_items(items, by_n, room)
    quoted += _give_reasons(items, by_n, room)
    questions = _fill_questions(talks, room)
    room.add(talk)
    sentences = _fill_talk(talks, quoted, room)
    parts = _ledger_lines(items) + questions
    parts += [f"{sentence.participant}: {sentence.text}" for sentence in sentences]
    return "\n".join(parts) if parts else _anything(lines, room)


# -- the ledger ----------------------------------------------------------------


def _fill_items(changes: Sequence[LedgerChange], room: _Room) -> list[_Item]:
    """The items with those of their changes that fit, the weightiest first; in log order."""
    order = _shown(changes)
    kept = order
    text = "\n".join(_ledger_lines(_group(changes, kept)))
    if not room.has(text):
        kept = []
        for place in sorted(order, key=lambda place: (-WEIGHTS[changes[place].kind], place)):
            more = sorted([*kept, place])
            longer = "\n".join(_ledger_lines(_group(changes, more)))
            if room.has(longer):
                kept, text = more, longer
    room.take(f"{text}\n" if text else "")
    return _group(changes, kept)


def _group(changes: Sequence[LedgerChange], places: Sequence[int]) -> list[_Item]:
    """The changes at `places` by their items, in log order."""
    items: dict[str, _Item] = {}
    for place in places:
        ref = one_line(changes[place].ref)
        items.setdefault(ref, _Item(ref)).changes.append(changes[place])
    return list(items.values())


def _ledger_lines(items: Sequence[_Item]) -> list[str]:
    """A line an item; those that the same happened to and that have no words share theirs."""
    lines: dict[str, tuple[list[str], str]] = {}
    for item in items:
        text = "".join([f": {item.text}" if item.text else "", *item.reasons])
        events = item.events()
        lines.setdefault(item.ref if text else events, ([], f"{events}{text}"))[0].append(item.ref)
    return [f"{', '.join(_runs(refs))} {rest}".strip() for refs, rest in lines.values()]


def _runs(refs: Sequence[str]) -> Iterator[str]:
    """`refs`, three or more handles that follow each other as one: "P3–P7"."""
    for _, run in groupby(enumerate(refs), lambda each: (each[1][:1], _number(each[1]) - each[0])):
        handles = [ref for _, ref in run]
        if len(handles) > 2 and _number(handles[0]):
            yield f"{handles[0]}–{handles[-1]}"
        else:
            yield from handles


def _number(ref: str) -> int:
    """The number of a handle; 0 of a topic, which has none."""
    return int(ref[1:]) if ref[1:].isdecimal() and ref.isascii() else 0


def _shown(changes: Sequence[LedgerChange]) -> list[int]:
    """The places of what is told: nothing of items that were found and set aside in the range."""
    aside: dict[str, bool] = {}
    for change in changes:
        if change.kind in ("set aside", "taken up", "retracted"):
            aside[change.ref] = change.kind != "taken up"
    born = {change.ref: change.who for change in changes if change.kind in _BIRTHS}
    turned = {
        (change.ref, change.who, change.n)
        for change in changes
        if change.kind in ("turned to support", "turned to oppose")
    }
    return [
        place
        for place, change in enumerate(changes)
        if change.kind not in ("set aside", "taken up")
        and not (change.ref in born and aside.get(change.ref))
        and not (change.kind == "supported" and born.get(change.ref) == change.who)
        and not (
            change.kind in ("supported", "opposed") and (change.ref, change.who, change.n) in turned
        )
    ]


def _phrase(kind: str, other: str, names: Sequence[str]) -> str:
    """What happened, in the ledger's own words for it."""
    who = ", ".join(names)
    match kind:
        case "proposed" | "claimed":
            return f"{kind} by {who}"
        case "turned to support" | "turned to oppose":
            return f"{who} {kind}"
        case "amends" | "repeats":
            return f"{kind} {other}"
        case "replaced" | "superseded":
            return f"{kind} by {other}" if other else kind
        case _:
            return f"{kind} by {who}" if who else kind


def _quote_items(
    items: Sequence[_Item], by_n: Mapping[int, Line], room: _Room
) -> list[tuple[int, int, int]]:
    """Give items that the range brought their words, as far as there is room; what was quoted.

    Decisions first, then the weightiest, of equals the first of each message before the second
    of any; eight words at least. None to what repeats an item that is named beside it.
    """
    named = {item.ref for item in items}
    births: list[tuple[int, int, _Item, LedgerChange]] = []  # order, turn in its message, ...
    turn: Counter[int] = Counter()
    for item in items:
        birth = item.birth
        if birth is None or any(c.kind == "repeats" and c.other in named for c in item.changes):
            continue
        weight = 10 * item.weight + len(item.changes) + _DECIDED * (birth.kind == "claimed")
        births.append((-weight, turn[birth.n], item, birth))
        turn[birth.n] += 1
    births.sort(key=lambda each: each[:2])
    quoted = []
    for place, (_, _, item, birth) in enumerate(births):
        line = by_n.get(birth.n)
        if line is None:
            continue
        head = f"{item.ref} {item.events()}: "
        share = len(head.split()) + max(_FEW_WORDS, room.words // (len(births) - place))
        whole = quote_line(line, birth.start, birth.end)
        text = room.clip(whole, _TEXT_LIMIT, head, share)
        if text != whole and len(text.split()) < _LEAST_WORDS:
            continue
        if text and room.take(f"{head}{text}\n"):
            item.text = text
            quoted.append((birth.n, birth.start, birth.end))
    return quoted


def _give_reasons(
    items: Sequence[_Item], by_n: Mapping[int, Line], room: _Room
) -> list[tuple[int, int, int]]:
    """The sentences by which items were opposed or somebody changed sides, while there is room."""
    quoted = []
    for item in items:
        seen = {item.text}
        heard: set[str] = set()  # the first reason of each is enough
        for change in item.changes:
            line = by_n.get(change.n)
            if change.kind not in _REASONED or line is None or change.end <= change.start:
                continue
            if change.who in heard:
                continue
            head = f"\n  {one_line(change.who)}: "
            text = room.clip(quote_line(line, change.start, change.end), _TEXT_LIMIT, head)
            if text and text not in seen and room.take(head + text):
                item.reasons.append(head + text)
                heard.add(change.who)
                seen.add(text)
                quoted.append((change.n, change.start, change.end))
    return quoted


# -- the talk ------------------------------------------------------------------


def _fill_questions(talks: Sequence[Talk], room: _Room) -> list[str]:
    """The newest questions that stay open, two at most."""
    lines = []
    newest = [question for talk in reversed(talks) for question in talk.questions][:2]
    for question in reversed(newest):
        line = f"open: {question.participant}: {question.text}"
        if room.take(f"{line}\n"):
            lines.append(line)
    return lines


def _fill_talk(
    talks: Sequence[Talk], quoted: Sequence[tuple[int, int, int]], room: _Room
) -> list[Sentence]:
    """The sentences that carry most, those of messages first that nothing quotes; in log order.

    At most one of a message, and six.
    """
    seen = {n for n, _, _ in quoted}
    ranked = sorted(
        (sentence for talk in talks for sentence in talk.central if sentence.weight > 0),
        key=lambda sentence: (sentence.n in seen, -sentence.weight),
    )
    chosen: dict[int, Sentence] = {}
    for sentence in ranked:
        if sentence.n in chosen or any(
            sentence.n == n and sentence.start < end and start < sentence.end
            for n, start, end in quoted
        ):
            continue
        if room.take(f"{sentence.participant}: {sentence.text}\n"):
            chosen[sentence.n] = sentence
            if len(chosen) == _TALK_SENTENCES:
                break
    return [chosen[n] for n in sorted(chosen)]


def _anything(lines: Sequence[Line], room: _Room) -> str:
    """The beginning of what was said, where no sentence is fit to be quoted whole."""
    talks = read_talk(lines).central
    sentence = talks[0] if talks else any_sentence(lines)
    if sentence is None or sentence.text.endswith(("?", "？")):
        return ""
    head = f"{sentence.participant}: "
    for beside in (head, ""):
        text = room.clip(sentence.text, len(sentence.text), beside)
        if text and room.take(beside + text):
            return beside + text
    return ""
