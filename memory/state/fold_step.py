"""One entry being folded: who, where, and the facts found so far."""

from __future__ import annotations

from parley.memory.state.item_state import Cite, Fact, How, LinkedBy, Origin, Proposal
from parley.memory.state.memory import Memory


class FoldStep:
    """The entry in hand. Handlers change `memory` through it and record facts in it."""

    __slots__ = (
        "at",
        "content",
        "detected",
        "facts",
        "memory",
        "n",
        "participant",
        "rewords",
        "topic",
        "typist",
    )

    def __init__(
        self,
        memory: Memory,
        n: int,
        participant: str,
        content: str,
        at: str | None,
        topic: str | None = None,
        typist: str = "",
    ) -> None:
        self.memory = memory
        self.n = n
        self.detected = n  # the entry whose facts these are: a later one, where it reveals this
        self.participant = participant  # canonical: whose words these are
        self.typist = typist  # who typed them for somebody else, as a scribe; canonical
        self.content = content
        self.at = at
        self.topic = topic
        # of an edit: proposals of the old words that no new ones took the place of so far
        self.rewords: list[Proposal] | None = None
        self.facts: list[Fact] = []

    def earlier(
        self, n: int, who: str, text: str, start: int, at: str | None, topic: str | None = None
    ) -> FoldStep:
        """An earlier entry, of which `text` from `start` on is known; its facts are told here."""
        then = FoldStep(self.memory, n, who, " " * start + text, at, topic)
        then.detected = self.detected
        then.facts = self.facts
        return then

    def record_fact(self, kind: str, ref: str | None, /, **data: object) -> None:
        """Record a fact."""
        if self.detected != self.n:
            data["born"] = self.n
        if self.typist:
            data["typist"] = self.typist
        self.facts.append(Fact(kind, ref, self.detected, data))

    def origin(
        self,
        how: How,
        rule: str | None = None,
        confidence: int = 1000,
        *,
        start: int = 0,
        end: int | None = None,
        also: tuple[Cite, ...] = (),
        link: LinkedBy = "",
    ) -> Origin:
        """An origin that cites this entry first, then `also`."""
        here = Cite(self.n, start, len(self.content) if end is None else end)
        return Origin((here, *also), how, rule, confidence, link)


def evidence_row(origin: Origin) -> dict[str, object]:
    """Where a fact's words stand in the entry in hand, and what found them there."""
    where = origin.cites[0]
    return {
        "start": where.start,
        "end": where.end,
        "how": origin.how,
        "rule": origin.rule,
        "confidence": origin.confidence,
    }
