"""Judged pairs are read from spans of a talk, and thresholds are chosen without what they judge."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import circling_pairs
from benchmarks.circling_pairs import Scored, read_pairs, report, wrongly_alike

TALK = (
    {"repository": "example/garden", "title": "The garden"},
    {"index": 0, "content": "Morning. Paint the garden benches green before spring."},
    {"index": 1, "content": "The garden benches should be painted green."},
    {"index": 2, "content": "Order gravel for the path."},
)
BENCHES, AGAIN, GRAVEL = [9, 54], [0, 43], [0, 26]


def row(same: Any = True, b: int = 1, b_span: list[int] = AGAIN) -> dict[str, Any]:
    spans = {"a": 0, "a_span": BENCHES, "b": b, "b_span": b_span}
    return {"talk": "garden", "folder": "more", **spans, "same": same}


def written(tmp_path: Path, *rows: dict[str, Any]) -> Path:
    folder = tmp_path / "agents" / "more"
    folder.mkdir(parents=True)
    (folder / "garden.jsonl").write_text("\n".join(map(json.dumps, TALK)), encoding="utf-8")
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return file


def test_a_pair_is_scored_by_its_spans(tmp_path: Path) -> None:
    file = written(tmp_path, row(), row(False, 2, GRAVEL))
    again, other = read_pairs(file, tmp_path)
    assert (again.repository, again.place) == ("example/garden", "garden 0:9 1:0")
    assert again.score > 500 > other.score
    assert wrongly_alike([again, other], 0) == [other]
    assert report([again, other], 250)["curve"][500]["f1"] == 1000


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (row("yes"), "same is true or false"),
        (row(b=7), "KeyError: 7"),
        (row(b_span=[0, 99]), "b_span is not in message 1 of 43 characters"),
        (row() | {"talk": "nowhere"}, "nowhere.jsonl"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, bad: dict[str, Any], why: str) -> None:
    file = written(tmp_path, row(), bad)
    with pytest.raises(SystemExit, match=r"pairs\.jsonl:2: ") as stopped:
        read_pairs(file, tmp_path)
    assert why in str(stopped.value)


def test_a_threshold_is_chosen_without_the_part_it_judges() -> None:
    names = [f"example/{n}" for n in range(40)]
    first = names[0]
    home = Scored(first, "", True, 0).part
    away = next(name for name in names if Scored(name, "", True, 0).part != home)
    pairs = [Scored(first, "", True, 900), Scored(away, "", True, 300)]
    parts = report(pairs, 250)["parts"]
    assert parts[home]["threshold"] == 300
    assert parts[home]["recall"] == 1000
    assert [found["recall"] for part, found in parts.items() if part != home] == [0]


def test_without_others_nothing_is_alike() -> None:
    assert report([Scored("example/one", "", True, 1000)], 250)["left out"]["recall"] == 0


def test_it_says_that_it_skips(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("PARLEY_PAIRS", raising=False)
    monkeypatch.setattr(sys, "argv", ["circling_pairs"])
    circling_pairs.main()
    assert capsys.readouterr().out.startswith("skipped: no file of pairs")
