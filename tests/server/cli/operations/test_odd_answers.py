"""`parley run` with a model that has every bad habit at once: nobody reads what is nobody's."""

from __future__ import annotations

import json
from collections import Counter
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from parley.server.records.session_file import read_file
from tests.server.cli.operations.test_run_commands import entries, environment_of
from tests.support.doors.doors import Standing, served
from tests.support.servers.fake_openai import FakeOpenAI, Manners
from tests.support.servers.odd_answers import BROKEN, CUT, HABITS, MARKER, MARKS, WHOLE, OddAnswers
from tests.support.servers.patience import PATIENCE

MODERATOR_MS: Final = 8_000
SCENARIO: Final = f"""\
scenario: 1
title: The beans
opening: {{by: ines, say: "Where do we plant the beans?"}}
participants:
  - persona: {{name: writer, description: Writes stories., body: You write stories.}}
    as: Story_writer
    may: [propose, support, oppose, accept, ask, inform, vote, moderate]
  - persona: {{name: gardener, description: Knows gardens., body: You know gardens.}}
    as: José Lima
    may: [propose, support, oppose, accept, ask, inform, vote, moderate]
  - persona: {{name: chair, description: Gives the floor., body: You give the floor.}}
    as: chair
    may: [ask, inform, moderate, grant]
floor: {{policy: moderated, evaluation: panel, moderator_ms: {MODERATOR_MS}, evaluation_ms: 3000,
  hops_hard: 0, hops_soft: 0, cooldown: 0}}
memory: {{preset: deliberation, summary: {{interval: 4, words: 60, fanout: 3}}}}
stop: {{any: [{{turns: 24}}]}}
"""
PATHS: Final = (
    "", "/export", "/messages", "/entries", "/votes", "/floor", "/participants", "/settings",
    "/context", "/memory", "/decisions", "/proposals", "/positions", "/summaries", "/statistics",
    "/usage", "/view", "/timeline", "/brief", "/minutes", "/minutes?format=text",
    "/minutes?format=markdown", "/explain/P1", "/votes/V1",
)  # fmt: skip


def test_no_thought_reaches_a_reader_and_all_turns_are_granted_in_time(
    redis_url: str, tmp_path: Path
) -> None:
    """Log, summaries, ballots and what the page is shown hold nothing that was hidden."""
    path, out, odd = tmp_path / "beans.yaml", tmp_path / "beans.json", OddAnswers()
    path.write_text(SCENARIO)
    with FakeOpenAI(manners=Manners(spoken=odd)) as fake:
        ran = subprocess.run(
            [sys.executable, "-m", "parley", "run", str(path), "--fast", "--yes", "--json",
             "--out", str(out), "--model-url", fake.url, "--patience", "5"],
            capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE,
            env=environment_of(redis_url), check=False,
        )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    file = read_file(out)
    log = entries(file)
    ends = json.loads(ran.stdout)["ended"]
    spoken = [row for row in log if row["kind"] == "message" and row["participant"] != "ines"]
    print(len(spoken), odd.asked, ends, Counter(row["kind"] for row in log))
    for row in spoken:
        print(row["participant"], row["content"])
    for row in log:
        if row["kind"] in ("ballot", "summary.made", "floor.granted"):
            print(row)
    print(odd.used)
    hides_nothing(ran.stdout + ran.stderr)
    for row in log:
        hides_nothing(json.dumps(row, ensure_ascii=False))


def hides_nothing(shown: str) -> None:
    """No hidden word, and no mark of what hides it."""
    for each in (MARKER, *MARKS):
        assert each not in shown.lower(), shown
