"""What the decisions of a session speak of. Pure."""

from __future__ import annotations

from typing import Final, NamedTuple

from parley.memory.state.memory import Memory
from parley.server.minutes.sentence_words import content_words

NEAR: Final = 20  # messages between a decision and what follows from it
SHARED: Final = 2  # stems that they have in common


class _Topic(NamedTuple):
    born: int
    handle: str
    binds: bool
    stems: frozenset[str]


class DecidedTerms:
    """The decisions that stand, by their words."""

    def __init__(self, memory: Memory) -> None:
        self._topics = [
            _Topic(one.born, one.handle, one.binds, _stems(f"{one.topic} {one.outcome}"))
            for one in memory.decisions.values()
            if memory.decision(one.ref) is one
        ]

    def near(self, said: str, n: int) -> str | None:
        """The decision close to entry `n` that speaks of what was said there."""
        stems = _stems(said)
        near = [
            (abs(one.born - n), one.handle)
            for one in self._topics
            if abs(one.born - n) <= NEAR and len(one.stems & stems) >= SHARED
        ]
        return min(near, default=(0, None))[1]

    def speaks_to(self, stems: frozenset[str], n: int) -> bool:
        """Whether a decision after entry `n` that binds has most of these `stems`."""
        return any(
            one.binds and one.born > n
            and len(one.stems & stems) >= SHARED and 2 * len(one.stems & stems) > len(stems)
            for one in self._topics
        )  # fmt: skip


def _stems(text: str) -> frozenset[str]:
    return frozenset(content_words(text))
