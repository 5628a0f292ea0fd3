"""Summaries without a model: what the range did to the ledger, then the talk that carries most.

A line an item: what was proposed or decided, by whom, under which handle, and what
became of it; then who changed sides on what came before, questions that stay open, and
a sentence or two of the talk. Of the talk's length 35 % at most: of what does not fit
sentences of the talk go first, then the lesser changes. Deterministic; linear in the
range but for the sorting of what is chosen from it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
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
_FEW_WORDS: Final = 8  # of an item, where there are many: the others want to be known by theirs
_HANGING: Final = " ,;:-–—(["  # what a text is not cut behind
_TALK_SENTENCES: Final = 2
_REASONED: Final = ("opposed", "disputed", "turned to support", "turned to oppose")
_BIRTHS: Final = ("proposed", "claimed")


class _Room:
    """The characters and words that are left."""

    def __init__(self, chars: int, words: int) -> None:
        self.chars, self.words = chars, words

    def take(self, text: str) -> bool:
        chars, words = len(text), len(text.split())
        if chars > self.chars or words > self.words:
            return False
        self.chars -= chars
        self.words -= words
        return True

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

    def line(self) -> str:
        events: dict[tuple[str, str], list[str]] = {}
        for change in self.changes:
            names = events.setdefault((change.kind, change.other), [])
            if change.who and change.who not in names:
                names.append(one_line(change.who))
        phrases = [_phrase(kind, other, names) for (kind, other), names in events.items()]
        line = " ".join([self.ref, "; ".join(filter(None, phrases))]).strip()
        text = f": {self.text}" if self.text else ""
        return f"{line}{text}" + "".join(self.reasons)


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
    items = _fill_items(changes, room)
    quoted = _quote_items(items, by_n, room)
    talks = [read_talk(lines)] if talks is None else talks
    questions = _fill_questions(talks, room)
    quoted += _give_reasons(items, by_n, room)
    sentences = _fill_talk(talks, quoted, room)
    parts = [item.line() for item in items] + questions
    parts += [f"{sentence.participant}: {sentence.text}" for sentence in sentences]
    return "\n".join(parts) if parts else _anything(lines, room)


# -- the ledger ----------------------------------------------------------------


def _fill_items(changes: Sequence[LedgerChange], room: _Room) -> list[_Item]:
    """The items with those of their changes that fit, the weightiest first; in log order."""
    order = _shown(changes)
    items: dict[str, _Item] = {}
    kept: set[int] = set()
    for place in sorted(order, key=lambda place: (-WEIGHTS[changes[place].kind], place)):
        change = changes[place]
        cost = _phrase(change.kind, change.other, [one_line(change.who)] if change.who else [])
        head = "" if change.ref in items else f"{one_line(change.ref)}\n"
        if room.take(f"{head} {cost}; "):
            items.setdefault(change.ref, _Item(one_line(change.ref)))
            kept.add(place)
    for place in sorted(kept):
        items[changes[place].ref].changes.append(changes[place])
    first = {changes[place].ref: place for place in sorted(kept, reverse=True)}
    return [items[ref] for ref in sorted(items, key=lambda ref: first[ref])]


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

    Each its share of the room; none to what repeats an item that is named beside it.
    """
    births = [(item, birth) for item in items if (birth := _birth(item)) is not None]
    births.sort(key=lambda pair: -max(WEIGHTS[change.kind] for change in pair[0].changes))
    named = {item.ref for item in items}
    quoted = []
    for place, (item, birth) in enumerate(births):
        line = by_n.get(birth.n)
        if line is None or any(c.kind == "repeats" and c.other in named for c in item.changes):
            continue
        share = max(_FEW_WORDS, room.words // (len(births) - place))
        text = room.clip(quote_line(line, birth.start, birth.end), _TEXT_LIMIT, ": ", share)
        if text and room.take(f": {text}"):
            item.text = text
            quoted.append((birth.n, birth.start, birth.end))
    return quoted


def _birth(item: _Item) -> LedgerChange | None:
    """The change by which the range brought the item."""
    return next((change for change in item.changes if change.kind in _BIRTHS), None)


def _give_reasons(
    items: Sequence[_Item], by_n: Mapping[int, Line], room: _Room
) -> list[tuple[int, int, int]]:
    """The sentences by which items were opposed or somebody changed sides, while there is room."""
    quoted = []
    for item in items:
        seen = {item.text}
        for change in item.changes:
            line = by_n.get(change.n)
            if change.kind not in _REASONED or line is None or change.end <= change.start:
                continue
            head = f"\n  {one_line(change.who)}: "
            text = room.clip(quote_line(line, change.start, change.end), _TEXT_LIMIT, head)
            if text and text not in seen and room.take(head + text):
                item.reasons.append(head + text)
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
    """The sentences that carry most, two at most, that no item quotes; as the talk has them."""
    chosen: list[Sentence] = []
    longest = max((len(talk.central) for talk in talks), default=0)
    ranked = [
        talk.central[rank] for rank in range(longest) for talk in talks if rank < len(talk.central)
    ]
    for sentence in ranked:
        if any(
            sentence.n == n and sentence.start < end and start < sentence.end
            for n, start, end in quoted
        ):
            continue
        if room.take(f"{sentence.participant}: {sentence.text}\n"):
            chosen.append(sentence)
            if len(chosen) == _TALK_SENTENCES:
                break
    return sorted(chosen, key=lambda sentence: (sentence.n, sentence.start))


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
