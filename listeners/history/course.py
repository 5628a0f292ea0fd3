"""One session's course: checkpoints, what happened up to each, places in its log.

Without a look at the log, which others read; only a checkpoint takes turns with other tasks
as it is loaded.
"""

from __future__ import annotations

import zlib
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from parley.bus.entries import Record
from parley.listeners.cache.memory_cache import load_memory
from parley.listeners.history.chronicle import Chronicle
from parley.listeners.history.message_words import MessageWords
from parley.listeners.history.timeline import Timeline, make_timeline
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory, Packs

EVERY: Final = 128  # primary entries from one checkpoint to the next


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The memory after all entries up to the `n`-th primary one and what follows it."""

    n: int = 0
    seq: int = 0
    identity: str = ""
    data: bytes = b""

    async def memory(self, packs: Packs) -> Memory:
        """The memory at this checkpoint, a copy of the caller's own."""
        if not self.data:
            return Memory(packs)
        return await load_memory(zlib.decompress(self.data), packs, self.seq)


@dataclass(slots=True)
class Course:
    """What is kept of one session. `folded_seq` is the seq up to which it was folded here."""

    session: str
    incarnation: str
    skips: tuple[int, ...]
    folded_seq: int = 0
    n: int = 0
    settled: Chronicle = field(default_factory=Chronicle)  # up to the last checkpoint
    tail: Chronicle = field(default_factory=Chronicle)  # from there
    every: int = EVERY
    packed: int = 0  # bytes of its checkpoints
    checkpoints: list[Checkpoint] = field(default_factory=lambda: [Checkpoint()])
    places: array[int] = field(default_factory=lambda: array("Q", (1,)))  # seq by n
    words: MessageWords = field(default_factory=MessageWords)  # of what stands at `places`
    last_place: Checkpoint = Checkpoint()  # the newest entry among them; it has no memory

    @property
    def last(self) -> Checkpoint:
        return self.checkpoints[-1]

    @property
    def size(self) -> int:
        """Bytes that all of it takes, near enough."""
        places = len(self.places) * self.places.itemsize
        return self.packed + self.settled.size + self.tail.size + places + self.words.size

    def before(self, *, n: int | None = None, seq: int = 0) -> Checkpoint:
        """The newest checkpoint that holds nothing after the `n`-th primary entry, or `seq`."""
        if n is not None:
            place = bisect_right(self.checkpoints, n, key=lambda checkpoint: checkpoint.n)
        else:
            place = bisect_right(self.checkpoints, seq, key=lambda checkpoint: checkpoint.seq)
        return self.checkpoints[max(0, place - 1)]

    def is_near(self, n: int) -> bool:
        """Whether it is not far from a checkpoint to the `n`-th primary entry."""
        return n <= max(self.n, self.last.n + self.every)

    def is_near_entry(self, seq: int) -> bool:
        """Likewise to entry `seq`; derived ones come on top of the primary ones."""
        return seq <= max(self.folded_seq, self.last.seq + 2 * self.every)

    def is_folded(self, seq: int) -> bool:
        """Whether its course is known up to entry `seq`."""
        return seq <= self.folded_seq

    def note_places(self, records: Sequence[Record]) -> None:
        """Note where the primary ones of `records` stand, and what they say; known ones too."""
        for record in records:
            if record.n == len(self.places):
                self.places.append(record.seq)
                self.words.add(record)
        last = records[-1]
        if last.seq > self.last_place.seq:
            self.last_place = Checkpoint(last.n, last.seq, last.identity)

    def keep(self, checkpoint: Checkpoint, chronicle: Chronicle) -> None:
        """Add `checkpoint`, and the chronicle from the last one to it."""
        self.checkpoints.append(checkpoint)
        self.packed += len(checkpoint.data)
        self.settled.extend(chronicle)
        self.tail = Chronicle()
        self.folded_seq, self.n = max(self.folded_seq, checkpoint.seq), max(self.n, checkpoint.n)

    def end(self, n: int, seq: int, chronicle: Chronicle) -> None:
        """Note that the log is folded up to `seq`, with the chronicle since the last checkpoint."""
        self.tail = chronicle
        self.folded_seq, self.n = max(self.folded_seq, seq), max(self.n, n)

    def halve_checkpoints(self) -> None:
        """Let go of every second checkpoint: half the room, twice the way to a moment.

        The last one stays: from there it is folded on, and what came before is noted.
        """
        self.every *= 2
        self.checkpoints = [*self.checkpoints[:-1:2], self.last]
        self.packed = sum(len(checkpoint.data) for checkpoint in self.checkpoints)

    def facts_about(self, ref: str) -> list[Fact]:
        """Every fact about the item of that handle, as far as the log is folded."""
        return [*self.settled.facts_by_ref.get(ref, ()), *self.tail.facts_by_ref.get(ref, ())]

    def timeline(self, head: int) -> Timeline:
        """As far as it is known, of a log that ends at `head`."""
        return make_timeline((self.settled, self.tail), self.n, self.folded_seq, head)
