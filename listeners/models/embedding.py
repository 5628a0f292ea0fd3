"""The port to an embedding model, and what of its answers can be used. Pure.

Vectors never enter a log: memory hears how alike two texts are, in whole per mille.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from parley.listeners.models.model_port import BadAnswer

Vector = tuple[float, ...]  # of length 1


@dataclass(frozen=True, slots=True)
class Embeddings:
    """A vector for each text, in order; 0 tokens: not reported."""

    vectors: tuple[Vector, ...]
    model: str
    input_tokens: int = 0


class Embedder(Protocol):
    @property
    def name(self) -> str:
        """The model that is asked: vectors of another are not comparable."""
        ...

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """The vectors of `texts`, within the embedder's own deadline; raises `ModelError`."""
        ...


def check_vectors(rows: Sequence[tuple[int, Sequence[float]]], count: int) -> tuple[Vector, ...]:
    """The vectors of `rows`, (place, numbers) each, in order and of length 1.

    Raises `BadAnswer` where one is missing, has other dimensions, or is no direction at all.
    """
    by_place = dict(rows)
    if len(rows) != count or sorted(by_place) != list(range(count)):
        raise BadAnswer(f"{len(rows)} vectors for {count} texts")
    vectors = [by_place[place] for place in range(count)]
    sizes = {len(vector) for vector in vectors}
    if len(sizes) > 1:
        raise BadAnswer(f"vectors of {min(sizes)} and of {max(sizes)} numbers in one answer")
    return tuple(map(_unit, vectors))


def parse_embeddings(answer: Any, count: int) -> Embeddings:
    """What an endpoint's answer to `count` texts comes to; raises `BadAnswer`."""
    try:
        rows = [(int(row.index), [float(number) for number in row.embedding])
                for row in answer.data]  # fmt: skip
        usage = getattr(answer, "usage", None)
        counted = int(getattr(usage, "prompt_tokens", 0) or 0)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise BadAnswer(f"no vectors in the answer: {error}") from None
    return Embeddings(
        check_vectors(rows, count), str(getattr(answer, "model", None) or ""), counted
    )


def similarity(first: Vector, second: Vector) -> int:
    """The cosine of two vectors of length 1, per mille, 0 where they point apart.

    Raises `BadAnswer` where they are of different dimensions.
    """
    if len(first) != len(second):
        raise BadAnswer(f"vectors of {len(first)} and of {len(second)} numbers")
    cosine = math.fsum(a * b for a, b in zip(first, second, strict=True))
    return max(0, min(1000, round(1000 * cosine)))


def _unit(vector: Sequence[float]) -> Vector:
    length = math.hypot(*vector) if all(map(math.isfinite, vector)) else 0.0
    if not length or not math.isfinite(length):
        raise BadAnswer("a vector that is no direction: empty, all zeros, or not finite")
    return tuple(number / length for number in vector)
