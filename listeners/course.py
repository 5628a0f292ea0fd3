"""The course of a session, noted while it is folded: figures, marks, stances, checkpoints.

Without a look at the log, which others read; only a checkpoint takes turns with other tasks
as it is loaded.
"""

from __future__ import annotations

import zlib
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from listeners.copies import loaded
from memory.items import Fact
from memory.state import Memory, Packs
from memory.text import clip

EVERY: Final = 128  # primary entries from one checkpoint to the next
POINTS: Final = 600  # of a series at most: no plot is wider
MARKS: Final = 5_000
SERIES: Final = ("messages", "proposals_open", "decided", "flips", "tokens", "micros")
MARKED: Final = frozenset({
    "proposal.made", "proposal.settled", "proposal.echoed", "proposal.reoffered",
    "decision.claimed", "decision.ratified", "decision.disputed", "decision.superseded",
    "position.flipped", "vote.called", "vote.closed", "floor.nudged", "session.closed",
})  # fmt: skip
TOLD: Final = 240  # characters that a mark tells
_DECIDES: Final = ("decision.", "item.corrected")  # facts that may change what is decided
_WIDTH: Final = 1 + len(SERIES)
_FACT_BYTES: Final = 800  # of a fact that is noted, and its mark: measured on 3,000 messages


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened at the `n`-th primary entry. `told`: the words it came with."""

    n: int
    kind: str
    ref: str
    participant: str
    told: str = ""


Stood = tuple[int, str, str, str]  # n, participant, on, stance


@dataclass(frozen=True, slots=True)
class Timeline:
    """The whole course of a session; `done` permille of it while it is being made."""

    n: int
    every: int
    series: dict[str, list[int]]
    marks: tuple[Mark, ...]
    stances: tuple[Stood, ...]
    thinned: bool = False
    done: int = 1000
    seq: int = 0  # of the entry up to which it is made


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The memory after all entries up to the `n`-th primary one and what follows it."""

    n: int = 0
    seq: int = 0
    identity: str = ""
    data: bytes = b""

    async def memory(self, packs: Packs) -> Memory:
        """A copy of its own."""
        if not self.data:
            return Memory(packs)
        return await loaded(zlib.decompress(self.data), packs, self.seq)


class Chronicle:
    """What a stretch of the log came to: a row of figures after each primary entry, and marks."""

    def __init__(self, memory: Memory | None = None, flips: int = 0) -> None:
        self.rows = array("q")
        self.marks: list[Mark] = []
        self.stances: list[Stood] = []
        self.about: dict[str, list[Fact]] = {}  # facts by the handle that they are about
        self.flips = flips
        self._noted = 0
        self._decided = 0 if memory is None else _decided(memory)

    @property
    def size(self) -> int:
        """Bytes that it takes, near enough."""
        return len(self.rows) * self.rows.itemsize + self._noted * _FACT_BYTES

    def hear(self, memory: Memory, facts: Iterable[Fact]) -> None:
        """Note the facts of an entry that was just folded."""
        for fact in facts:
            kind = fact.kind
            if fact.ref is not None:
                self.about.setdefault(fact.ref, []).append(fact)
                self._noted += 1
            if kind in MARKED:
                self.marks.append(Mark(fact.n, kind, fact.ref or "", _whose(fact), _told(fact)))
            if kind == "position.flipped":
                self.flips += 1
            if kind in ("reaction.changed", "position.flipped"):
                self._stand(fact)
            if kind.startswith(_DECIDES):
                self._decided = _decided(memory)

    def row(self, memory: Memory, n: int) -> None:
        """Note the figures after the `n`-th primary entry; of what comes before the first none."""
        if n > 0:
            total = memory.ledger.total
            told = (memory.messages, len(memory.live), self._decided, self.flips)
            self.rows.extend((n, *told, total.tokens, total.micros))

    def extend(self, other: Chronicle) -> None:
        """Take on the stretch that follows this one."""
        self.rows.extend(other.rows)
        self.marks += other.marks
        self.stances += other.stances
        for ref, facts in other.about.items():
            self.about.setdefault(ref, []).extend(facts)
        self.flips = other.flips
        self._noted += other._noted

    def _stand(self, fact: Fact) -> None:
        stood = (fact.n, _whose(fact), fact.ref or "", str(fact.data.get("stance", "")))
        if self.stances[-1:] != [stood]:
            self.stances.append(stood)


def _whose(fact: Fact) -> str:
    name = fact.data.get("participant")
    if name is None and fact.kind in ("proposal.settled", "session.closed"):
        name = fact.data.get("by")
    return name if isinstance(name, str) else ""


def _told(fact: Fact) -> str:
    """Of what has no number, and so no entry that one could ask for by it."""
    name = {"floor.nudged": "text", "session.closed": "reason"}.get(fact.kind)
    return clip(str(fact.data.get(name) or ""), TOLD) if name else ""


def _decided(memory: Memory) -> int:
    return sum(found.binds and found.stands for found in memory.decisions.values())


@dataclass(slots=True)
class Course:
    """What is kept of one session. `seen` is the seq up to which it was folded here."""

    session: str
    incarnation: str
    skips: tuple[int, ...]
    seen: int = 0
    n: int = 0
    settled: Chronicle = field(default_factory=Chronicle)  # up to the last checkpoint
    tail: Chronicle = field(default_factory=Chronicle)  # from there
    every: int = EVERY
    packed: int = 0  # bytes of its checkpoints
    checkpoints: list[Checkpoint] = field(default_factory=lambda: [Checkpoint()])
    places: array[int] = field(default_factory=lambda: array("Q", (1,)))  # seq by n
    placed: Checkpoint = Checkpoint()  # the newest entry among them; it has no memory

    @property
    def last(self) -> Checkpoint:
        return self.checkpoints[-1]

    @property
    def size(self) -> int:
        """Bytes that all of it takes, near enough."""
        places = len(self.places) * self.places.itemsize
        return self.packed + self.settled.size + self.tail.size + places

    def before(self, *, n: int | None = None, seq: int = 0) -> Checkpoint:
        """The newest checkpoint that holds nothing after the `n`-th primary entry, or `seq`."""
        if n is not None:
            place = bisect_right(self.checkpoints, n, key=lambda one: one.n)
        else:
            place = bisect_right(self.checkpoints, seq, key=lambda one: one.seq)
        return self.checkpoints[max(0, place - 1)]

    def is_near(self, n: int) -> bool:
        """Whether it is not far from a checkpoint to the `n`-th primary entry."""
        return n <= max(self.n, self.last.n + self.every)

    def is_near_entry(self, seq: int) -> bool:
        """Likewise to entry `seq`; derived ones come on top of the primary ones."""
        return seq <= max(self.seen, self.last.seq + 2 * self.every)

    def is_folded(self, seq: int) -> bool:
        """Whether its course is known up to entry `seq`."""
        return seq <= self.seen

    def keep(self, made: Checkpoint, stretch: Chronicle) -> None:
        """The log up to `made` is folded; `stretch` is what came since the last one."""
        self.checkpoints.append(made)
        self.packed += len(made.data)
        self.settled.extend(stretch)
        self.tail = Chronicle()
        self.seen, self.n = max(self.seen, made.seq), max(self.n, made.n)

    def end(self, n: int, seq: int, stretch: Chronicle) -> None:
        """The log up to `seq` is folded; `stretch` is what came since the last checkpoint."""
        self.tail = stretch
        self.seen, self.n = max(self.seen, seq), max(self.n, n)

    def thin(self) -> None:
        """Let go of every second checkpoint: half the room, twice the way to a moment.

        The last one stays: from there it is folded on, and what came before is noted.
        """
        self.every *= 2
        self.checkpoints = [*self.checkpoints[:-1:2], self.last]
        self.packed = sum(len(one.data) for one in self.checkpoints)

    def about(self, ref: str) -> list[Fact]:
        """Every fact about the item of that handle, as far as the log is folded."""
        return [*self.settled.about.get(ref, ()), *self.tail.about.get(ref, ())]

    def timeline(self, head: int) -> Timeline:
        """As far as it is known, of a log that ends at `head`."""
        rows = self.settled.rows + self.tail.rows
        step = 1
        while len(rows) // _WIDTH > POINTS * step:
            step *= 2
        places = _places(len(rows) // _WIDTH, step)
        marks, stances = (
            self.settled.marks + self.tail.marks,
            self.settled.stances + self.tail.stances,
        )
        columns = ("n", *SERIES)
        return Timeline(
            n=self.n,
            every=step,
            series={name: [rows[_WIDTH * p + k] for p in places] for k, name in enumerate(columns)},
            marks=_thinned(marks),
            stances=tuple(stances[-MARKS:]),
            thinned=max(len(marks), len(stances)) > MARKS,
            seq=self.seen,
            done=1000 if self.seen >= head else min(999, self.seen * 1000 // head),
        )


def _places(count: int, step: int) -> list[int]:
    """Every `step`-th, and always the last."""
    places = list(range(0, count, step))
    return places if not count or places[-1] == count - 1 else [*places, count - 1]


def _thinned(marks: Sequence[Mark], most: int = MARKS) -> tuple[Mark, ...]:
    """At most so many, the rare kinds whole and the common ones evenly thinned."""
    if len(marks) <= most:
        return tuple(marks)
    counts = sorted(Counter(mark.kind for mark in marks).items(), key=lambda one: (one[1], one[0]))
    shares: dict[str, tuple[int, int]] = {}
    left = most
    for k, (kind, count) in enumerate(counts):
        share = min(count, left // (len(counts) - k))
        shares[kind] = share, count
        left -= share
    seen: Counter[str] = Counter()
    kept: list[Mark] = []
    for mark in marks:
        share, count = shares[mark.kind]
        place = seen[mark.kind]
        seen[mark.kind] += 1
        if (place + 1) * share // count > place * share // count:
            kept.append(mark)
    return tuple(kept)
