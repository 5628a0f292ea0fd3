"""A session's figures, marks, stances and facts, noted while it is folded."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip

SERIES: Final = ("messages", "proposals_open", "decided", "flips", "tokens", "micros")
WIDTH: Final = 1 + len(SERIES)  # of a row of figures: n, and one a series
MARKED: Final = frozenset({
    "proposal.made", "proposal.settled", "proposal.echoed", "proposal.reoffered",
    "decision.claimed", "decision.ratified", "decision.disputed", "decision.superseded",
    "position.flipped", "vote.called", "vote.extended", "vote.closed", "floor.nudged",
    "session.closed", "seat.taken", "seat.left", "settings.changed", "participant.aliased",
})  # fmt: skip
_MARK_CHARS: Final = 240  # characters that a mark tells
_TEXT_FIELDS: Final = {
    "floor.nudged": "text", "session.closed": "reason", "seat.taken": "role", "seat.left": "reason",
    "settings.changed": "settings", "participant.aliased": "alias", "vote.extended": "seconds",
}  # fmt: skip
_DECIDES: Final = ("decision.", "item.corrected")  # facts that may change what is decided
_FACT_BYTES: Final = 800  # of a fact that is noted, and its mark: measured on 3,000 messages


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened at the `n`-th primary entry. `text`: the words it came with."""

    n: int
    kind: str
    ref: str
    participant: str
    text: str = ""


Stance = tuple[int, str, str, str]  # n, participant, on, stance


class Chronicle:
    """What a stretch of the log came to: a row of figures after each primary entry, and marks."""

    def __init__(self, memory: Memory | None = None, flips: int = 0) -> None:
        self.rows = array("q")
        self.marks: list[Mark] = []
        self.stances: list[Stance] = []
        self.facts_by_ref: dict[str, list[Fact]] = {}  # facts by the handle that they are about
        self.flips = flips
        self._noted = 0
        self._decided = 0 if memory is None else _count_decided(memory)

    @property
    def size(self) -> int:
        """Bytes that it takes, near enough."""
        return len(self.rows) * self.rows.itemsize + self._noted * _FACT_BYTES

    def note_facts(self, memory: Memory, facts: Iterable[Fact]) -> None:
        """Note the facts of an entry that was just folded."""
        for fact in facts:
            kind = fact.kind
            if fact.ref is not None:
                self.facts_by_ref.setdefault(fact.ref, []).append(fact)
            self._noted += fact.ref is not None or kind in MARKED
            if kind in MARKED:
                self.marks.append(
                    Mark(fact.n, kind, fact.ref or "", _participant_of(fact), _mark_text(fact))
                )
            if kind == "position.flipped":
                self.flips += 1
            if kind in ("reaction.changed", "position.flipped"):
                self._note_stance(fact)
            if kind.startswith(_DECIDES):
                self._decided = _count_decided(memory)

    def note_figures(self, memory: Memory, n: int) -> None:
        """Note the figures after the `n`-th primary entry; of what comes before the first none."""
        if n > 0:
            total = memory.ledger.total
            opened = sum(not memory.proposals[ref].candidate for ref in memory.live)
            counts = (memory.messages, opened, self._decided, self.flips)
            self.rows.extend((n, *counts, total.tokens, total.micros))

    def extend(self, other: Chronicle) -> None:
        """Take on the stretch that follows this one."""
        self.rows.extend(other.rows)
        self.marks += other.marks
        self.stances += other.stances
        for ref, facts in other.facts_by_ref.items():
            self.facts_by_ref.setdefault(ref, []).extend(facts)
        self.flips = other.flips
        self._noted += other._noted

    def _note_stance(self, fact: Fact) -> None:
        stood = (fact.n, _participant_of(fact), fact.ref or "", str(fact.data.get("stance", "")))
        if self.stances[-1:] != [stood]:
            self.stances.append(stood)


def _participant_of(fact: Fact) -> str:
    name = fact.data.get("participant")
    if name is None and fact.kind in ("proposal.settled", "session.closed", "settings.changed"):
        name = fact.data.get("by")
    return name if isinstance(name, str) else ""


def _mark_text(fact: Fact) -> str:
    """The words of a fact whose entry has no number to look it up by; "" of any other."""
    name = _TEXT_FIELDS.get(fact.kind)
    value = fact.data.get(name) if name else None
    return clip(
        ", ".join(_keys(value)) if isinstance(value, dict) else str(value or ""), _MARK_CHARS
    )


def _keys(tree: dict[str, Any], above: str = "") -> Iterator[str]:
    """The dotted names of the settings that a partial tree sets."""
    for name, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _keys(value, f"{above}{name}.")
        else:
            yield f"{above}{name}"


def _count_decided(memory: Memory) -> int:
    return sum(decision.binds and decision.stands for decision in memory.decisions.values())
