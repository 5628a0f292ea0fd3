"""The least of a smooth loss, by limited-memory BFGS, in plain Python: the same every time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

Vector = list[float]

FLAT: Final = 1e-4  # slope at which the search ends: weights are kept in hundredths
_SLACK: Final = 1e-9  # of a loss of some hundreds: less is what adding up in floats leaves
_PAST: Final = 8  # moves that show the curvature


def descend(
    loss: Callable[[Vector], tuple[float, Vector]],
    start: Vector,
    scale: float,
    flat: float = FLAT,
    steps: int = 400,
) -> Vector:
    """Where `loss`, which gives its value and slope, is least; `scale` divides the first move.

    Raises `ArithmeticError` if the slope is not `flat` after so many steps.
    """
    here = list(start)
    lost, slope = loss(here)
    past: list[tuple[Vector, Vector, float]] = []
    for _ in range(steps):
        if max(map(abs, slope)) < flat:
            return here
        move = _direction(slope, past, scale)
        along = _dot(slope, move)
        share = 1.0
        while True:
            there = [a + share * b for a, b in zip(here, move, strict=True)]
            tried, steep = loss(there)
            if tried <= lost + 1e-4 * share * along + _SLACK or share < 1e-6:
                break
            share /= 2
        went = [a - b for a, b in zip(there, here, strict=True)]
        bent = [a - b for a, b in zip(steep, slope, strict=True)]
        curve = _dot(went, bent)
        if curve > 1e-12:
            past = [*past, (went, bent, 1 / curve)][-_PAST:]
        here, lost, slope = there, tried, steep
    raise ArithmeticError(f"not least after {steps} steps: {max(map(abs, slope))} is left")


def _direction(slope: Vector, past: Sequence[tuple[Vector, Vector, float]], scale: float) -> Vector:
    """Downhill; the last moves show the curvature."""
    move = [-each for each in slope]
    shares = []
    for went, bent, inverse in reversed(past):
        share = inverse * _dot(went, move)
        shares.append(share)
        move = [a - share * b for a, b in zip(move, bent, strict=True)]
    if past:
        went, bent, inverse = past[-1]
        ratio = 1 / (inverse * _dot(bent, bent))
        move = [ratio * each for each in move]
    else:
        move = [each / scale for each in move]
    for (went, bent, inverse), share in zip(past, reversed(shares), strict=True):
        back = inverse * _dot(bent, move)
        move = [a + (share - back) * b for a, b in zip(move, went, strict=True)]
    return move


def _dot(left: Vector, right: Vector) -> float:
    return math.fsum([a * b for a, b in zip(left, right, strict=True)])
