"""How well the patterns read recorded meetings, by the scorer that lies beside them."""

from __future__ import annotations

import importlib.util
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest

from server.analysis import analyze
from server.settings import settled
from server.transcripts import read_transcript

TOLERANCE = 0  # the exact message


def scorer(corpora: Path) -> ModuleType:
    """`score.py` of the corpora, as a module."""
    spec = importlib.util.spec_from_file_location("parley_score", corpora / "score.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def items(transcript: Path) -> list[dict[str, Any]]:
    """The rows of `parley analyze --format items`, as whoever reads its output gets them."""
    found = analyze(read_transcript(transcript), settled({}, {})).items()
    return [orjson.loads(orjson.dumps(row)) for row in found]


@pytest.fixture
def report(corpora: Path) -> dict[str, Any]:
    """The score over every meeting of the chat corpus, markers left in."""
    score = scorer(corpora)
    counts: Counter[Any] = Counter()
    golds = sorted((corpora / "dev" / "irc").glob("*.gold.jsonl"))
    assert len(golds) == 86
    for gold in golds:
        transcript = gold.with_name(gold.name.replace(".gold.jsonl", ".jsonl"))
        score.score_one(items(transcript), score.load(gold), TOLERANCE, counts)
    found: dict[str, Any] = score.report(counts, TOLERANCE, len(golds))
    return found


def test_recorded_meetings_are_read_well(report: dict[str, Any]) -> None:
    """Proposals and decisions at F1 .75 or more, proposal and stance both right at .90."""
    print(report)
    assert report["proposal"]["F1"] >= 0.75
    assert report["decision"]["F1"] >= 0.75
    assert report["reaction"]["right_both"] >= 0.90
