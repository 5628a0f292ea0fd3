"""What folding a batch of entries comes to: facts, and effects that fell due. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bus import FactRecord
from bus.entries import Record
from memory.due import Upgrade, due, upgrades
from memory.fold import apply
from memory.items import Fact
from memory.state import Memory

Found = tuple[int, list[Fact]]  # the seq of an entry, and what it changed
HOWS = ("extract", "model")
WINDOW = 64  # effects of a session that wait in a lane at once


@dataclass(frozen=True, slots=True)
class Owed:
    """An effect and the lane it waits in."""

    lane: Literal["effects", "upgrades"]
    effect: Upgrade

    @property
    def key(self) -> str:
        return f"{self.lane} {self.effect.id}"

    @property
    def answers(self) -> tuple[str, ...]:
        """The ids of the results that make it moot."""
        if self.lane == "upgrades":
            return (self.effect.result_id("model"),)
        return tuple(self.effect.result_id(how) for how in HOWS)


def project(memory: Memory, records: Sequence[Record]) -> list[Found]:
    """Fold `records` into `memory`; the facts of the entries that changed something, in order."""
    found: list[Found] = []
    for record in records:
        facts = apply(memory, record)
        if facts:
            found.append((record.seq, facts))
    return found


def owed(memory: Memory) -> list[Owed]:
    """What `memory` is owed first, and what a model could better first.

    A window of each: what lies beyond it follows as results land, so that a
    session whose effects nobody runs costs each commit no more than any other.
    """
    return [
        *(Owed("effects", effect) for effect in due(memory, WINDOW)),
        *(Owed("upgrades", effect) for effect in upgrades(memory, WINDOW)),
    ]


def fact_rows(found: Sequence[Found]) -> list[FactRecord]:
    """The facts as subscribers read them, each under the seq of its entry."""
    return [
        FactRecord(seq, k, {"kind": fact.kind, "ref": fact.ref, "n": fact.n, "data": fact.data})
        for seq, facts in found
        for k, fact in enumerate(facts)
    ]
