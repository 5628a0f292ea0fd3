"""Logistic regression over yes/no features in whole numbers: the same weights on any machine.

Scores and weights are hundredths of a logit, chances are of 65,536 and come from a table.
Each step sets one weight by Newton's rule with a ridge, feature after feature, in the
order of their names, until a round moves nothing by much.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

_UNIT: Final = 100
_ONE: Final = 1 << 16
_FAR: Final = 1500
_CHANCES: Final = [round(_ONE / (1 + math.exp(-at / _UNIT))) for at in range(-_FAR, _FAR + 1)]
_RIDGE: Final = 14  # rows' worth of pull towards 0
_ROUNDS: Final = 12
_LEAST: Final = 15  # rows that show a feature
_SPREAD: Final = 5  # groups that show it


class Fitted(NamedTuple):
    """A scorecard: a line's score is `bias` and the weights of its features."""

    bias: int
    weights: dict[str, int]


def candidates(rows: Sequence[Sequence[str]], groups: Sequence[str]) -> list[str]:
    """The features seen often, and in several groups: others could be one group's habits."""
    count: Counter[str] = Counter()
    where: dict[str, set[str]] = defaultdict(set)
    for row, group in zip(rows, groups, strict=True):
        count.update(row)
        for name in row:
            where[name].add(group)
    return sorted(name for name in count if count[name] >= _LEAST and len(where[name]) >= _SPREAD)


def fit(
    rows: Sequence[Sequence[str]], gold: Sequence[bool], names: Sequence[str], kept: int
) -> Fitted:
    """The scorecard of the `kept` of `names` that move scores most, fitted anew without others."""
    columns = _columns(rows, names)
    first = _descend(columns, gold)
    total = len(rows)

    def moves(name: str) -> tuple[int, str]:
        size = len(columns[name])
        return -(first.weights.get(name, 0) ** 2) * size * (total - size), name

    strongest = sorted(columns, key=moves)[:kept]
    return _descend({name: columns[name] for name in sorted(strongest)}, gold)


def scores(rows: Iterable[Sequence[str]], card: Fitted) -> list[int]:
    """The score of each row."""
    weights = card.weights
    return [card.bias + sum(weights[name] for name in row if name in weights) for row in rows]


def _columns(rows: Sequence[Sequence[str]], names: Iterable[str]) -> dict[str, list[int]]:
    columns: dict[str, list[int]] = {name: [] for name in names}
    for place, row in enumerate(rows):
        for name in row:
            if name in columns:
                columns[name].append(place)
    return columns


def _descend(columns: dict[str, list[int]], gold: Sequence[bool]) -> Fitted:
    share = sum(gold) / len(gold)
    bias = round(_UNIT * math.log(share / (1 - share)))
    scores = [bias] * len(gold)
    weights = dict.fromkeys(columns, 0)
    everywhere = list(range(len(gold)))
    for _ in range(_ROUNDS):
        bias += _step(everywhere, gold, scores, 0, 0)
        moved = 0
        for name, column in columns.items():
            step = _step(column, gold, scores, weights[name], _RIDGE)
            weights[name] += step
            moved = max(moved, abs(step))
        if moved <= 1:
            break
    return Fitted(bias, {name: weight for name, weight in weights.items() if weight})


def _step(
    column: Sequence[int], gold: Sequence[bool], scores: list[int], weight: int, ridge: int
) -> int:
    """Move one weight, and the scores of its rows with it; by how much."""
    slope = curve = 0
    for place in column:
        chance = _CHANCES[max(-_FAR, min(_FAR, scores[place])) + _FAR]
        slope += _ONE * gold[place] - chance
        curve += chance * (_ONE - chance)
    curve = curve // _ONE + ridge * _ONE
    step = _nearest(slope * _UNIT - ridge * _ONE * weight, curve) if curve else 0
    if step:
        for place in column:
            scores[place] += step
    return step


def _nearest(above: int, below: int) -> int:
    """The whole number nearest to above / below, halves away from 0."""
    size = (2 * abs(above) + below) // (2 * below)
    return size if above >= 0 else -size
