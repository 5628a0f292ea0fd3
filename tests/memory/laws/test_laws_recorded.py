"""Law 2 on recorded meetings: the window and its votes survive a snapshot at any line."""

from __future__ import annotations

import pytest

from benchmarks.material import OPENED, PACKS, numbered
from benchmarks.recorded import recorded
from parley.bus.entries import Message, Record
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import Memory
from tests.support.logs.corpora import ROOT, needs_corpora

EVERY = 3  # lines between two snapshots: votes and what they are on often part there


def logs(corpus: str) -> list[list[Record]]:
    """The smallest, the middle and the largest of the first twelve meetings by name."""
    by_name = {}
    for meeting in recorded(ROOT / "dev" / corpus)[:24]:
        messages = [
            Message(participant=row["agent_id"], content=row["content"])
            for row in meeting.rows()[1:]
            if row["content"].strip()
        ]
        by_name[meeting.name] = numbered([OPENED, *messages])
    ranked = sorted(by_name.values(), key=len)
    return [ranked[0], ranked[len(ranked) // 2], ranked[-1]]


@needs_corpora
@pytest.mark.parametrize("corpus", ["irc", "wg"])
def test_law_2_a_recorded_meeting_folds_on_from_any_snapshot(corpus: str) -> None:
    """Line by line with a snapshot loaded every few lines, or at once: the same memory."""
    for log in logs(corpus):
        memory = Memory(PACKS)
        for place, record in enumerate(log):
            apply(memory, record)
            if place % EVERY == 0:
                memory = load(dump(memory), PACKS, record.seq)
        whole = fold_records(Memory(PACKS), log)
        assert whole.structure.lines or whole.structure.runs
        assert dump(memory) == dump(whole)
