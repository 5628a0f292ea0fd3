"""The counter of tokens: it belongs to the fold version, and memory's bytes say which it was."""

from __future__ import annotations

import pytest

from parley.bus.entries import Entry, Message, Record, SessionOpened
from parley.memory.errors import SnapshotMismatch
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import Memory
from parley.memory.text.text_sizes import COUNTER


def test_a_snapshot_counted_otherwise_is_refused() -> None:
    """Its sizes would be added to sizes of another kind, so the log is folded anew."""
    entries: list[Entry] = [SessionOpened(), Message(participant="ada", content="We begin.")]
    records = [Record(seq, seq - 1, f"{seq}", 0, entry) for seq, entry in enumerate(entries, 1)]
    data = dump(fold_records(Memory({}), records))
    assert data.count(COUNTER.encode()) == 1
    with pytest.raises(SnapshotMismatch, match="words@1"):
        load(data.replace(COUNTER.encode(), b"words@1"), {}, 2)
