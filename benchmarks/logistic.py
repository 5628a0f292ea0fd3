"""Logistic regression over yes/no features, in plain Python: the same weights every time.

Newton steps with halving; a weight may have a floor (0 for what may only add).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul
from typing import Final, NamedTuple

_STEPS: Final = 25
_HALVINGS: Final = 8
_ENOUGH: Final = 0.01  # of the loss: a hundredth of a logit is the finest weight kept
_FAINT: Final = 1e-5  # curvature below which a row changes nothing
_FREE: Final = float("-inf")


class Rows(NamedTuple):
    """Each row's features, ascending; whether it is one of those sought; how much it counts."""

    features: Sequence[tuple[int, ...]]
    sought: Sequence[bool]
    weights: Sequence[float]

    def without(self, kept: Sequence[int]) -> Rows:
        """The same rows with the features of `kept` alone, numbered anew."""
        place = {old: new for new, old in enumerate(kept)}
        features = [tuple(place[each] for each in row if each in place) for row in self.features]
        return Rows(features, self.sought, self.weights)


def score(weights: Sequence[float], row: tuple[int, ...]) -> float:
    """The sum of the row's weights and the bias, which is the last of `weights`."""
    return weights[-1] + sum([weights[each] for each in row])


def fit(
    rows: Rows, ridge: float, floors: Sequence[float], start: Sequence[float] | None = None
) -> list[float]:
    """The weights, and the bias after them, that lose least; `ridge` holds weights near 0."""
    size = len(floors)
    bounds = [*floors, _FREE]
    holds = [*[ridge] * size, 1e-6]
    weights = [0.0] * (size + 1) if start is None else list(start)
    lost = _loss(rows, weights, holds)
    for _ in range(_STEPS):
        slope, bend = _derivatives(rows, weights, holds)
        free = [each for each in range(size + 1) if weights[each] > bounds[each] or slope[each] < 0]
        move = _solved([[bend[a][b] for b in free[: k + 1]] for k, a in enumerate(free)],
                       [slope[each] for each in free])  # fmt: skip
        share = 1.0
        for _ in range(_HALVINGS):
            tried = list(weights)
            for each, by in zip(free, move, strict=True):
                tried[each] = max(bounds[each], tried[each] - share * by)
            loss = _loss(rows, tried, holds)
            if loss <= lost:
                break
            share /= 2
        else:
            return weights
        gained, weights, lost = lost - loss, tried, loss
        if gained < _ENOUGH:
            break
    return weights


def _loss(rows: Rows, weights: Sequence[float], holds: Sequence[float]) -> float:
    total = 0.0
    for row, sought, counts in zip(*rows, strict=True):
        z = score(weights, row)
        z = -z if sought else z
        total += counts * (z + math.log1p(math.exp(-z)) if z > 0 else math.log1p(math.exp(z)))
    return total + sum(hold * each * each for hold, each in zip(holds, weights, strict=True)) / 2


def _derivatives(
    rows: Rows, weights: Sequence[float], holds: Sequence[float]
) -> tuple[list[float], list[list[float]]]:
    """The slope of the loss, and the lower half of its bend."""
    size = len(weights)
    slope = [hold * each for hold, each in zip(holds, weights, strict=True)]
    bend = [[0.0] * size for _ in range(size)]
    for each, hold in enumerate(holds):
        bend[each][each] = hold
    for row, sought, counts in zip(*rows, strict=True):
        z = max(-500.0, score(weights, row))
        chance = 1 / (1 + math.exp(-z))
        off = counts * (chance - sought)
        for each in row:
            slope[each] += off
        slope[-1] += off
        curve = counts * chance * (1 - chance)
        if curve > _FAINT:
            _bend(bend, row, curve)
    return slope, bend


def _bend(bend: list[list[float]], row: tuple[int, ...], curve: float) -> None:
    last = bend[-1]
    for k, each in enumerate(row, 1):
        line = bend[each]
        for other in row[:k]:
            line[other] += curve
        last[each] += curve
    last[-1] += curve


def _solved(lower: list[list[float]], right: list[float]) -> list[float]:
    """x of A x = `right`, by Cholesky's factors; `lower` is the lower half of A."""
    factor: list[list[float]] = []
    for k, line in enumerate(lower):
        made: list[float] = []
        for j in range(k):
            other = factor[j]
            made.append((line[j] - sum(map(mul, made, other))) / other[j])
        made.append(math.sqrt(max(1e-12, line[k] - sum(map(mul, made, made)))))
        factor.append(made)
    ahead: list[float] = []
    for made, value in zip(factor, right, strict=True):
        ahead.append((value - sum(map(mul, made, ahead))) / made[-1])
    back = [0.0] * len(ahead)
    for k in range(len(ahead) - 1, -1, -1):
        back[k] = ahead[k] / factor[k][k]
        for j in range(k):
            ahead[j] -= factor[k][j] * back[k]
    return back
