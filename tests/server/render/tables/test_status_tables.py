"""What a person at a terminal is shown."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from parley.listeners.effects.summariser import EffectTally
from parley.listeners.workers.projector import ProjectorTally
from parley.server.basics.output import print_table
from parley.server.render.tables.status_tables import show_status


def test_status_tells_what_each_worker_did(capsys: pytest.CaptureFixture[str]) -> None:
    """Entries of one that folds, summaries of one that runs effects, whoever wrote them."""
    folds = {"name": "a", "lanes": ("fold",), "age_ms": 0, **asdict(ProjectorTally(folded=70))}
    writes = {"name": "b", "lanes": ("effects",), "age_ms": 0, **asdict(EffectTally(4, 3))}
    show_status(
        {
            "redis": {"warnings": []},
            "nodes": [],
            "workers": [folds, writes],
            "sessions": 1,
            "repaired_total": 0,
            "entries_set_aside": 0,
            "entries_healed": 4,
            "tenants": [],
            "apart": {"ill": "its log is gone"},
            "lag": {},
        },
        json=False,
    )
    heading, *rows, last = capsys.readouterr().out.splitlines()
    assert last == "set apart: ill: its log is gone"
    rows = rows[:2]
    assert heading.split()[-2:] == ["folded", "summaries"]
    assert [row.split()[-2:] for row in rows] == [["70", "-"], ["-", "7"]]


def test_a_table_in_a_file_has_one_line_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    """However long its cells are; ideographs count two, and nothing raw gets through."""
    print_table(("name", "what"), [("議論", "a" * 200), ("e\u0301\x1b[1m", 7)])
    assert capsys.readouterr().out.splitlines() == [
        "name      what",
        f"議論      {'a' * 200}",
        "e\u0301\\x1b[1m  7",
    ]
