"""The counter of tokens: it belongs to the fold version, and a snapshot says which it was."""

from __future__ import annotations

import pytest

from parley.bus.entries import Entry, Message, Record, SessionOpened
from parley.memory.errors import SnapshotMismatch
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import Memory
from parley.memory.text.text_sizes import COUNTER


def folded(counter: str | None) -> bytes:
    """The memory of a short session whose opener named that counter."""
    entries: list[Entry] = [
        SessionOpened(counter=counter),
        Message(participant="ada", content="We begin."),
    ]
    records = [Record(seq, seq - 1, f"{seq}", 0, entry) for seq, entry in enumerate(entries, 1)]
    return dump(fold_records(Memory({}), records))


def test_what_the_opener_counted_with_decides_nothing() -> None:
    """A log opened before the counter changed folds to the bytes of any other."""
    assert folded("chars@1") == folded(None) == folded(COUNTER)


def test_a_snapshot_counted_otherwise_is_refused() -> None:
    """Its sizes would be added to sizes of another kind, so the log is folded anew."""
    data = folded(None)
    assert COUNTER.encode() in data
    with pytest.raises(SnapshotMismatch, match="chars@1"):
        load(data.replace(COUNTER.encode(), b"chars@1"), {}, 2)
