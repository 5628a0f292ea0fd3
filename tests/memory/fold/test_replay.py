"""A replay: entry by entry, in order, without what was set aside."""

from __future__ import annotations

from parley.bus.entries import EntrySetAside
from parley.memory.fold.canonical_bytes import dump
from parley.memory.fold.replay import fold_records, list_set_aside, replay
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS, talk

LOG = talk(
    ("ana", "I propose that we dredge the harbour."),
    ("ben", "I propose that we wait."),
    EntrySetAside(seq=3, reason="poison"),
)


def test_what_was_set_aside_is_passed_on_and_not_folded() -> None:
    skips = list_set_aside(LOG)
    assert skips == {3}
    memory = Memory(PACKS)
    pairs = list(replay(memory, LOG, skips))
    assert [record for record, _ in pairs] == LOG
    assert pairs[1][1]
    assert pairs[2][1] == []
    without = [record for record in LOG if record.seq not in skips]
    assert dump(memory) == dump(fold_records(Memory(PACKS), without))


def test_each_entry_is_folded_as_it_is_passed_on() -> None:
    """Whoever stops early has the memory of the entries it saw."""
    memory = Memory(PACKS)
    seen = [memory.seq for _ in replay(memory, LOG)]
    assert seen == [1, 2, 3, 4]
