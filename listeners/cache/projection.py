"""What folding a batch of entries comes to: facts, and effects that fell due. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from parley.bus import FactRecord
from parley.bus.entries import Record
from parley.memory.extraction.model_claims.reading_ranges import find_quiet_look
from parley.memory.fold.due import due_summaries, list_upgrades
from parley.memory.fold.replay import replay
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.memory.voting.turnout import list_due_looks

EntryFacts = tuple[int, list[Fact]]  # the seq of an entry, and what it changed
_HOWS = ("extract", "model")
WINDOW = 64  # effects of a session that wait in a lane at once


@dataclass(frozen=True, slots=True)
class DueEffect:
    """An effect, the lane it waits in, and the ids of the results that make it moot."""

    lane: Literal["effects", "upgrades", "votes"]
    id: str
    answers: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.lane} {self.id}"

    @property
    def comes_again(self) -> bool:
        """Whether it may be owed anew after it was done, and so is told with every commit."""
        return self.lane == "votes"


def fold_with_facts(
    memory: Memory, records: Sequence[Record], skips: Sequence[int] = ()
) -> list[EntryFacts]:
    """Replay `records` into `memory`; the facts of the entries that changed something, in order."""
    return [(record.seq, facts) for record, facts in replay(memory, records, skips) if facts]


def due_effects(memory: Memory) -> list[DueEffect]:
    """What `memory` is owed first, what a model could better first, and what a clock ends.

    A window of each: what lies beyond it follows as results land, so that a
    session whose effects nobody runs costs each commit no more than any other.
    """
    return [
        *(
            DueEffect("effects", effect.id, tuple(map(effect.result_id, _HOWS)))
            for effect in due_summaries(memory, WINDOW)
        ),
        *(
            DueEffect("upgrades", effect.id, (effect.result_id("model"),))
            for effect in list_upgrades(memory, WINDOW)
        ),
        *(DueEffect("votes", look.id) for look in list_due_looks(memory)),
        *(DueEffect("votes", look.id) for look in (find_quiet_look(memory),) if look),
    ]


def fact_rows(entry_facts: Sequence[EntryFacts]) -> list[FactRecord]:
    """The facts as subscribers read them, each under the seq of its entry."""
    return [row for seq, facts in entry_facts for row in _fact_rows(seq, facts)]


def entry_rows(record: Record, facts: Iterable[Fact]) -> list[Record | FactRecord]:
    """An entry and what it changed, as a subscriber reads them."""
    return [record, *_fact_rows(record.seq, facts)]


def _fact_rows(seq: int, facts: Iterable[Fact]) -> Iterator[FactRecord]:
    for k, fact in enumerate(facts):
        row = {"kind": fact.kind, "ref": fact.ref, "n": fact.n, "data": fact.data}
        yield FactRecord(seq, k, row)
