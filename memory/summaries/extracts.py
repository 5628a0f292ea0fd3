"""Summaries without a model: what the range did to the ledger, then the talk that carries most.

A line an item: what was proposed or decided, by whom, under which handle, and what
became of it; then who changed sides on what came before, questions that stay open, and
a sentence or two of the talk. Of the talk's length 35 % at most: of what does not fit
sentences of the talk go first, then the lesser changes. Deterministic; linear in the
range but for the sorting of what is chosen from it.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from parley.memory.extraction.writing.back_references import drop_openers, points_elsewhere
from parley.memory.extraction.writing.cards import current_cards
from parley.memory.extraction.writing.unit_texts import tidy
from parley.memory.state.summary_state import LedgerChange
from parley.memory.summaries.item_words import RangeWords, end_clause
from parley.memory.summaries.ledger_items import Agreement, Item, group_items, rest_line
from parley.memory.summaries.talk_sentences import (
    Line,
    Sentence,
    Talk,
    any_sentence,
    read_talk,
)
from parley.memory.text.plain_text import clip, one_line
from parley.memory.text.similarity import content_stems

SHARE: Final = 350  # per mille of the talk's characters that its summary may have
FLOOR: Final = 120  # characters that a short range's may have, where the talk itself has them
_TEXT_LIMIT: Final = 240  # characters of what was proposed or decided
_LEAST_TEXT: Final = 30  # a shorter piece of a sentence says nothing
_FEW_WORDS: Final = 34  # of an item's line, where there are many
_STOPS: Final = (".", "!", "?")
_LEAST_OF_SENTENCE: Final = 5  # words of a whole sentence out of several
_LEAST_OF_LIKELY: Final = 12  # of a proposal that nobody spoke to
_LEAST_WORDS: Final = 8  # of an item that is cut; fewer say nothing
_HANGING: Final = " ,;:-–—(["  # what a text is not cut behind
# A question that is no title with a sign: in English it has such a word; or ideographs, say.
_ASKS: Final = re.compile(
    r"[^\x00-\u2e7f]|\b(?:who|whose|what|when|where|why|how|which|should|shall|can|could|may|do"
    r"|does|did|is|are|was|were|will|would|have|has|any|want|ok)\b",
    re.IGNORECASE,
)
_TALK_SENTENCES: Final = 2
_LEAST_OF_TALK: Final = 7  # words of a sentence of the talk; shorter ones report or beckon
_ALIKE: Final = 60  # per cent of the fewer content words that two texts share which say the same
_STANCES: Final = ("supported", "opposed", "turned to support", "turned to oppose")
TALK_SHARE: Final = 25  # per cent of the room beside the bare ledger that the talk has
_DECIDED: Final = 20  # beside ten times the weight of a change: a decision is worded first
_REASON_SHARE: Final = 25  # per cent of the room that reasons have, where there are any
_QUESTION_SHARE: Final = 30  # per cent of what is left then that questions have
_LIKELY: Final = (
    -150
)  # hundredths of a logit: less likely proposals that nobody answered are counted
_SPOKEN: Final = (
    "opposed", "disputed", "turned to support", "turned to oppose", "rejected", "accepted",
    "adopted", "withdrawn", "ratified", "supported",
)  # fmt: skip
_REASONED: Final = ("opposed", "disputed", "turned to support", "turned to oppose")


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
        if left <= 0:
            return ""
        size = room if len(words) <= left else min(room, len(" ".join(words[:left])))
        if len(text) > size:
            text = end_clause(text, size)
        if len(text) > size:
            text = clip(text[: size + 1], size).rstrip(_HANGING)
        return "" if len(text) > room < _LEAST_TEXT else text


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
    limit = min(length, max(FLOOR, length * SHARE // 1000))
    room = _Room(limit, words)
    talks = [read_talk(lines)] if talks is None else talks
    items, agreements = group_items(changes)
    room.take(f"{rest_line(items, longest=True)}\n" if items else "")
    talk = room.reserve(TALK_SHARE if any(each.central for each in talks) else 0)
    ledger, quoted = _tell_ledger(
        items, agreements, RangeWords({line.n: line for line in lines}), talks, room
    )
    room.add(talk)
    sentences = _fill_talk(talks, quoted, ledger, room)
    parts = [*ledger, *(f"{sentence.participant}: {sentence.text}" for sentence in sentences)]
    whole = [*parts, *filter(None, [rest_line(items)])]
    if len("\n".join(whole)) <= limit and _count_words(whole) <= words:
        parts = whole
    return "\n".join(parts) if parts else _anything(lines, room)


# -- the ledger ----------------------------------------------------------------


def _tell_ledger(
    items: Sequence[Item],
    agreements: Sequence[Agreement],
    range_words: RangeWords,
    talks: Sequence[Talk],
    room: _Room,
) -> tuple[list[str], list[tuple[int, int, int]]]:
    """The lines of items that have words, of agreements and of open questions; what is quoted.

    Decisions and what anybody spoke to find room first, then reasons, questions, other proposals.
    """
    births = _order_births(items, range_words)
    _hedge(items, range_words)
    reasons = room.reserve(_REASON_SHARE if _has_reasons(items) else 0)
    words: list[str] = []
    settled = [birth for birth in births if birth.item.is_settled]
    quoted = _quote_items(settled, range_words, room, words)
    room.add(reasons)
    quoted += _give_reasons(items, range_words, room)
    agreed = _quote_agreements(agreements, range_words, room)
    likely = [birth for birth in births if not birth.item.is_settled and birth.likely > _LIKELY]
    asked = room.reserve(_QUESTION_SHARE if any(talk.questions for talk in talks) else 0)
    quoted += _quote_items(likely, range_words, room, words)
    room.add(asked)
    questions = _fill_questions(talks, quoted, room)
    told = [item.line() for item in items if item.text or item.reasons]
    return [*told, *agreed, *questions], quoted


def _hedge(items: Sequence[Item], range_words: RangeWords) -> None:
    """Mark the stances on items whose words do not show that they are on these."""
    for item in items:
        birth = item.birth
        text = ""
        for change in item.changes:
            if change.kind not in _STANCES or change.end <= change.start:
                continue
            if birth is not None and not text:
                text = range_words.quote(birth.n, birth.start, birth.end)
            if not range_words.names(change.n, change.start, change.end, item.ref, text):
                item.inferred.add(change)


class _Birth(NamedTuple):
    """An item that the range brought, in the order in which items are worded."""

    order: tuple[int, int, int]
    item: Item
    change: LedgerChange
    likely: int  # how much its wording looks like a proposal, where nothing else shows it is one


def _order_births(items: Sequence[Item], range_words: RangeWords) -> list[_Birth]:
    """The items that the range brought: decisions first, then the weightiest, of equals the first
    of each message before the second of any, the likeliest before others.

    None that repeats an item which is named beside it.
    """
    named = {item.ref for item in items}
    births: list[_Birth] = []
    turn: Counter[int] = Counter()
    for item in items:
        birth = item.birth
        if birth is None or any(c.kind == "repeats" and c.other in named for c in item.changes):
            continue
        weight = 10 * item.weight + len(item.changes) + _DECIDED * (birth.kind == "claimed")
        likely = 0 if item.is_settled else range_words.weigh(birth.n, birth.start, birth.end)
        births.append(_Birth((-weight, turn[birth.n], -likely), item, birth, likely))
        turn[birth.n] += 1
    return sorted(births, key=lambda birth: birth.order)


def _quote_items(
    births: Sequence[_Birth], range_words: RangeWords, room: _Room, told: list[str]
) -> list[tuple[int, int, int]]:
    """Give items their words, as far as there is room, eight at least; what was quoted.

    Not open proposals that say what stands in `told`, to which their words are added, or that
    point to words elsewhere or report.
    """
    quoted: list[tuple[int, int, int]] = []
    wordings = current_cards().texts
    for place, birth in enumerate(births):
        item, change = birth.item, birth.change
        head = f"{item.ref} {item.events()}: "
        share = len(head.split()) + max(_FEW_WORDS, room.words // (len(births) - place))
        whole = range_words.item_words(
            change.n, change.start, change.end, ruling=change.kind == "claimed"
        )
        if not item.is_settled and (
            points_elsewhere(whole, wordings)
            or _is_told(whole, told)
            or not range_words.puts_forward(change.n, change.start, change.end)
        ):
            continue
        text = room.clip(whole, _TEXT_LIMIT, head, share)
        least = _LEAST_WORDS if item.is_settled else _LEAST_OF_LIKELY
        if not _says_enough(text, whole, least):
            continue
        if room.take(f"{head}{text}\n"):
            item.text = text
            told.append(whole)
            quoted.append((change.n, change.start, change.end))
    return quoted


def _is_told(text: str, told: Sequence[str]) -> bool:
    """True where one of `told` says nearly the same."""
    stems = set(content_stems(text))
    return any(
        100 * len(stems & other) >= _ALIKE * min(len(stems), len(other))
        for other in map(set, map(content_stems, told))
        if stems and other
    )


def _quote_agreements(
    agreements: Sequence[Agreement], range_words: RangeWords, room: _Room
) -> list[str]:
    """Who was for several items at once, and in what words."""
    lines: list[str] = []
    for agreement in agreements:
        change, head = agreement.change, agreement.head()
        whole = range_words.quote(change.n, change.start, change.end)
        text = room.clip(whole, _TEXT_LIMIT, head, _FEW_WORDS + _LEAST_WORDS)
        if _says_enough(text, whole) and room.take(f"{head}{text}\n"):
            lines.append(head + text)
    return lines


def _has_reasons(items: Sequence[Item]) -> bool:
    return any(change.kind in _REASONED for item in items for change in item.changes)


def _says_enough(text: str, whole: str, least: int = _LEAST_WORDS) -> bool:
    """False for nothing, and for so little of `whole` that it says nothing."""
    if text == whole:
        return bool(text)
    return len(text.split()) >= (_LEAST_OF_SENTENCE if text.endswith(_STOPS) else least)


def _count_words(parts: Sequence[str]) -> int:
    return sum(len(part.split()) for part in parts)


def _give_reasons(
    items: Sequence[Item], range_words: RangeWords, room: _Room
) -> list[tuple[int, int, int]]:
    """The sentences by which items were opposed or somebody changed sides, and of items that the
    range did not bring those by which anything happened to them, while there is room.
    """
    quoted: list[tuple[int, int, int]] = []
    for item in items:
        seen = {item.text}
        heard: set[str] = set()  # the first reason of each is enough
        wanted = _REASONED if item.birth is not None else _SPOKEN
        for change in item.changes:
            if change.kind not in wanted or change.end <= change.start or change.who in heard:
                continue
            head = f"\n  {one_line(change.who)}: " if change.who else "\n  "
            whole = range_words.quote(change.n, change.start, change.end)
            text = room.clip(whole, _TEXT_LIMIT, head, _FEW_WORDS + _LEAST_WORDS)
            if not _says_enough(text, whole):
                continue
            alone = "" if item.text or item.reasons else f"{item.ref} {item.events()}\n"
            if text not in seen and room.take(f"{alone}{head}{text}"):
                item.reasons.append(head + text)
                heard.add(change.who)
                seen.add(text)
                quoted.append((change.n, change.start, change.end))
                if item.birth is None:
                    break
    return quoted


# -- the talk ------------------------------------------------------------------


def _fill_questions(
    talks: Sequence[Talk], quoted: Sequence[tuple[int, int, int]], room: _Room
) -> list[str]:
    """The newest questions that stay open, two at most."""
    lines = []
    wordings = current_cards().texts
    newest = [
        question
        for talk in reversed(talks)
        for question in talk.questions
        if _ASKS.search(question.text)
        and not points_elsewhere(drop_openers(question.text, wordings), wordings)
        and not any(
            question.n == n and question.start < end and start < question.end
            for n, start, end in quoted
        )
    ][:2]
    for question in reversed(newest):
        line = f"open: {question.participant}: {drop_openers(tidy(question.text), wordings)}"
        if room.take(f"{line}\n"):
            lines.append(line)
    return lines


def _fill_talk(
    talks: Sequence[Talk],
    quoted: Sequence[tuple[int, int, int]],
    ledger: Sequence[str],
    room: _Room,
) -> list[Sentence]:
    """The sentences that carry most, those of messages first that nothing quotes; in log order.

    At most one of a message, and two; none that says what the lines of the `ledger` say.
    """
    seen = {n for n, _, _ in quoted}
    told = list(ledger)
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
        text = drop_openers(tidy(sentence.text), current_cards().texts)
        if points_elsewhere(text, current_cards().texts) or _is_told(text, told):
            continue
        if len(text.split()) < _LEAST_OF_TALK and text.isascii():
            continue
        if room.take(f"{sentence.participant}: {text}\n"):
            chosen[sentence.n] = replace(sentence, text=text)
            told.append(text)
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
