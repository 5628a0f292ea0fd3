"""The scorecards of spoken talk: what each feature of a line adds, as data.

Weights are whole numbers in hundredths of a logit, fitted by `benchmarks/fit_spoken.py`.
A score is what the data takes it to be: its chance is the share of such lines that are
what is looked for, so a line is marked well below even odds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

_TOLD: Final = 5  # features that an item keeps: those that decided
_UNIT: Final = 100  # steps of a score to a logit
_FAR: Final = 600  # beyond, chances are all but certain
_CHANCES: Final = [round(1000 / (1 + math.exp(-at / _UNIT))) for at in range(-_FAR, _FAR + 1)]

NEVER: Final = -_FAR  # the score of a line that is not looked at
_NOTHING: Final = (0, 0, 0)

Scores = tuple[int, int, int]  # of a proposal, of a decision, of lying where decisions are made


class SpeechCard(NamedTuple):
    """The weights of every label, and from where on a line or a stretch is marked."""

    weights: dict[str, Scores]
    bias: Scores
    marks: tuple[int, int]
    opens: int  # what a stretch of lines adds up to (`regions.total`) where decisions are near
    stays: int  # what it adds up to as long as they are
    inside: int  # per mille of the lines of such stretches that are where decisions are made

    def add(self, names: Iterable[str]) -> Scores:
        """What features add to each score."""
        weights = self.weights
        proposal = decision = near = 0
        for name in names:
            if name in weights:
                one, other, third = weights[name]
                proposal += one
                decision += other
                near += third
        return proposal, decision, near

    def reasons(self, names: Iterable[str], label: int) -> str:
        """The features that did most for a label, the strongest first."""
        found = sorted((-self.weights.get(name, _NOTHING)[label], name) for name in set(names))
        return "; ".join(name for weight, name in found[:_TOLD] if weight < 0)


_instead: ContextVar[SpeechCard | None] = ContextVar("_instead", default=None)


def chance(score: int) -> int:
    """Per mille: the share of lines of this score that are what is looked for."""
    return _CHANCES[max(-_FAR, min(_FAR, score)) + _FAR]


def speech_card() -> SpeechCard:
    """The shipped scorecards, but within `spoken_by`."""
    return _instead.get() or shipped()


@contextmanager
def spoken_by(card: SpeechCard) -> Iterator[None]:
    """Within it, spoken lines are judged by `card`. As `scorecard.judged_by`: to measure alone."""
    token = _instead.set(card)
    try:
        yield
    finally:
        _instead.reset(token)


@cache
def shipped() -> SpeechCard:
    """The scorecards that come with the program."""
    text = (resources.files("memory.structure") / "spoken.json").read_text("utf-8")
    return read_card(json.loads(text))


def read_card(tree: Any) -> SpeechCard:
    """Scorecards from their file's tree."""
    one, other, region = tree["proposal"], tree["decision"], tree["region"]
    each = one["weights"], other["weights"], region["weights"]
    weights: dict[str, Scores] = {
        name: (each[0].get(name, 0), each[1].get(name, 0), each[2].get(name, 0))
        for name in sorted({*each[0], *each[1], *each[2]})
    }
    biases, marks = (one["bias"], other["bias"], 0), (one["mark"], other["mark"])
    return SpeechCard(weights, biases, marks, region["opens"], region["stays"], region["inside"])
