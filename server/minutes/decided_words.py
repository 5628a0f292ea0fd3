"""What the decisions of a session speak of. Pure."""

from __future__ import annotations

from typing import Final, NamedTuple

from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.memory import Memory
from parley.server.minutes.words.sentence_words import topic_words
from parley.server.verdicts.decision_words import decision_text

NEAR: Final = 20  # messages between a decision and what follows from it
_AT_ONCE: Final = 2  # messages after one in which somebody takes it on without naming it
_SHARED: Final = 2  # stems that they have in common
_BINDING: Final = ("ratified", "disputed", "accepted")  # the last as a model reads it


class Topic(NamedTuple):
    """A decision that stands, by its words."""

    born: int
    handle: str
    text: str
    participant: str
    binds: bool
    stems: frozenset[str]


class DecidedTerms:
    """The decisions that stand, by their words."""

    def __init__(self, memory: Memory) -> None:
        self._topics = [
            Topic(
                item.born,
                item.handle,
                decision_text(memory, item),
                item.participant,
                item.status in _BINDING,
                _stems(f"{item.topic} {item.text} {item.statement}"),
            )
            for item in ledger_of(memory).decisions()
            if item.shelf == "firm"
        ]

    def near(self, text: str, n: int) -> str | None:
        """The decision close to entry `n` that speaks of what was said there."""
        stems = _stems(text)
        near = [
            (abs(topic.born - n), topic.handle)
            for topic in self._topics
            if abs(topic.born - n) <= NEAR and len(topic.stems & stems) >= _SHARED
        ]
        return min(near, default=(0, None))[1]

    def just_before(self, n: int) -> Topic | None:
        """The last decision that binds, made within the two messages before entry `n`."""
        made = [topic for topic in self._topics if topic.binds and 0 < n - topic.born <= _AT_ONCE]
        return max(made, key=lambda topic: topic.born, default=None)

    def born_by(self, who: str | None, after: int, until: int) -> bool:
        """Whether `who` made a decision in the entries after `after`, `until` included."""
        return any(
            topic.participant == who and after < topic.born <= until for topic in self._topics
        )

    def speaks_to(self, stems: frozenset[str], n: int) -> bool:
        """Whether a decision after entry `n` that binds has most of these `stems`."""
        return any(
            topic.binds and topic.born > n
            and len(topic.stems & stems) >= _SHARED and 2 * len(topic.stems & stems) > len(stems)
            for topic in self._topics
        )  # fmt: skip


def _stems(text: str) -> frozenset[str]:
    return frozenset(topic_words(text))
