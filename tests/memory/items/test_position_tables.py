"""Positions after every message, flips included, against tables written by hand.

A table says, for each message that changes anything, who stands where on what
from then on; between its rows nothing may change.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from parley.bus.entries import Message, Record, SessionOpened
from parley.memory.fold.apply import apply
from parley.memory.state.memory import Memory
from parley.server.runtime.packs import read_packs

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data"
TRANSCRIPTS = {
    "positions-1": DATA / "positions-1.jsonl",
    "positions-2": DATA / "positions-2.jsonl",
    "positions-3": DATA / "positions-3.jsonl",
    "positions-demo": ROOT / "server" / "data" / "demo.jsonl",
}

Standing = dict[str, dict[str, str]]


def records(transcript: Path) -> Iterator[Record]:
    """The transcript as a log: the opening, then message `index` at n = index + 1."""
    meta, *rows = map(json.loads, transcript.read_text(encoding="utf-8").splitlines())
    packs = read_packs()
    chair = meta.get("chair", [])
    yield Record(1, 0, "open", 0, SessionOpened(settings={"chair": chair}, packs=packs.opening))
    for row in rows:
        re = row.get("re")
        message = Message(
            participant=row["agent_id"],
            content=row["content"],
            at=row["timestamp"],
            act=row.get("act"),
            re=re + 1 if isinstance(re, int) else re,
            topic=row.get("topic"),
        )
        n = row["index"] + 1
        yield Record(n + 1, n, f"line:{n - 1}", 0, message)


def standing(memory: Memory) -> Standing:
    """Who stands where on what, those without a position left out."""
    return {
        name: {on: position.stance for on, position in person.positions.items()}
        for name, person in memory.participants.items()
        if person.positions
    }


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_positions_equal_the_table_after_every_message(name: str) -> None:
    """Nobody's position differs from the table, at any message of the transcript."""
    table = json.loads((DATA / f"{name}.expected.json").read_text(encoding="utf-8"))
    memory = Memory(read_packs().known)
    expected: Standing = {}
    for record in records(TRANSCRIPTS[name]):
        apply(memory, record)
        for participant, changes in table["changes"].get(str(record.n - 1), {}).items():
            expected.setdefault(participant, {}).update(changes)
        assert standing(memory) == expected, f"after message {record.n - 1}"


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_flips_equal_the_table(name: str) -> None:
    """Exactly the flips of the table are found, each at its message."""
    table = json.loads((DATA / f"{name}.expected.json").read_text(encoding="utf-8"))
    memory = Memory(read_packs().known)
    rows: list[dict[str, Any]] = [
        {
            "index": fact.n - 1,
            "participant": fact.data["participant"],
            "on": fact.ref,
            "was": fact.data["was"],
            "stance": fact.data["stance"],
        }
        for record in records(TRANSCRIPTS[name])
        for fact in apply(memory, record)
        if fact.kind == "position.flipped"
    ]
    assert rows == table["flips"]
