"""In which order points are told, and whether words of theirs are worth telling.

The weightiest first; nothing twice; nothing that cannot be understood alone, or is cut so short
that it says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from parley.memory.extraction.writing.back_references import begins_elsewhere, points_elsewhere
from parley.memory.extraction.writing.cards import current_cards
from parley.memory.summaries.points import Point
from parley.memory.summaries.sentence_roles import shipped_roles
from parley.memory.text.similarity import content_stems

LEAST_OF_SENTENCE: Final = 5  # words of a whole sentence out of several
LEAST_WORDS: Final = 8  # of a text that is cut; fewer say nothing
_ALIKE: Final = 70  # per cent of the fewer content words that two texts share which say the same
_ALIKE_OF_OTHERS: Final = 80  # of all that either says, where two participants say them
_SENTENCES: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_AGAIN: Final = 24  # each line of a message weighs so much less than the one before it
_LAST: Final = 40  # how much more the last message weighs; the one before it half, the first
_FIRST: Final = 30
WEIGHTY: Final = 60  # a sentence of the talk
STOPS: Final = (".", "!", "?")


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


def with_figures(text: str) -> str:
    """The first sentence of `text` that proposes something and says how much; "" for none."""
    roles = shipped_roles()
    return next(
        (
            each for each in _SENTENCES.split(text)
            if NUMBER.search(each) and roles.proposes(each)
        ),
        "",
    )  # fmt: skip


def says_title(text: str, title: str) -> bool:
    """True where `text` has most of the words of `title`."""
    stems = set(content_stems(title))
    return 3 * len(stems & set(content_stems(text))) > 2 * len(stems)


def hangs(text: str, point: Point) -> bool:
    """True of words that cannot be understood alone; not of what opens the range or corrects what
    was said before, and of weighty ones only where they begin with what they point back to.
    """
    wordings = current_cards().texts
    if point.opens or point.form or point.by_person or shipped_roles().has(text, "correction"):
        return False
    if point.leads or not points_elsewhere(text, wordings):
        return False
    return point.weight < WEIGHTY or begins_elsewhere(text, wordings)


class Told(NamedTuple):
    """Words that are told: who says them, what they speak of, and whether of what came of it."""

    who: str
    stems: frozenset[str]
    numbers: frozenset[str]
    result: bool

    @classmethod
    def of(cls, who: str, text: str) -> Told:
        numbers = frozenset(NUMBER.findall(text))
        return cls(
            who, frozenset(content_stems(text)), numbers, shipped_roles().has(text, "result")
        )


def is_repeated(told: Told, written: Sequence[Told], *, results: bool = False) -> bool:
    """True where one of `written` says nearly the same, with the same numbers; with `results` not
    what came of it.
    """
    for other in written:
        if results and told.result and not other.result:
            continue  # what came of it
        shared = 100 * len(told.stems & other.stems)
        if other.who == told.who:
            alike = shared >= _ALIKE * max(1, min(len(told.stems), len(other.stems)))
        else:
            alike = shared >= _ALIKE_OF_OTHERS * max(1, len(told.stems), len(other.stems))
        if alike and told.numbers <= other.numbers:
            return True
    return False


def says_enough(text: str, whole: str, least: int = LEAST_WORDS) -> bool:
    """False for nothing, and for so little of `whole` that it says nothing."""
    if text == whole:
        return bool(text)
    return len(text.split()) >= (LEAST_OF_SENTENCE if text.endswith(STOPS) else least)
