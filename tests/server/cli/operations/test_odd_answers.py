"""`parley run` with a model that has every bad habit at once: nobody reads what is nobody's."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx2

from parley.bus.sessions.session_file import SessionFile
from parley.server.records.session_file import read_file
from tests.server.cli.operations.test_run_commands import entries, environment_of
from tests.support.doors.doors import Standing, served
from tests.support.servers.fake_openai import FakeOpenAI, Manners
from tests.support.servers.odd_answers import BROKEN, CUT, HABITS, MARKER, MARKS, WHOLE, OddAnswers
from tests.support.servers.patience import PATIENCE

MODERATOR_MS: Final = 8_000
TURNS: Final = 24
SCENARIO: Final = f"""\
scenario: 1
title: The beans
opening: {{by: ines, say: "Where do we plant the beans?"}}
participants:
  - persona: {{name: writer, description: Writes stories., body: You write stories.}}
    as: Story_writer
    may: [propose, support, oppose, accept, ask, inform, vote]
  - persona: {{name: gardener, description: Knows gardens., body: You know gardens.}}
    as: José Lima
    may: [propose, support, oppose, accept, ask, inform, vote]
  - persona: {{name: chair, description: Gives the floor., body: You give the floor.}}
    as: chair
    may: [ask, inform, grant]
floor: {{policy: moderated, evaluation: panel, moderator_ms: {MODERATOR_MS}, evaluation_ms: 3000,
  hops_hard: 0, hops_soft: 0, cooldown: 0, pair: 0}}
memory: {{preset: deliberation, summary: {{interval: 4, words: 60, fanout: 3}}}}
stop: {{any: [{{turns: {TURNS}}}]}}
"""
PATHS: Final = (
    "", "/export", "/messages", "/entries", "/votes", "/floor", "/participants", "/settings",
    "/context", "/memory", "/decisions", "/proposals", "/positions", "/summaries", "/statistics",
    "/usage", "/view", "/timeline", "/brief", "/minutes", "/minutes?format=text",
    "/minutes?format=md", "/minutes?format=html", "/explain/P1", "/votes/V1",
)  # fmt: skip


def test_no_thought_reaches_a_reader_and_all_turns_are_granted_in_time(
    redis_url: str, tmp_path: Path
) -> None:
    """Log, summaries, ballots and what the page is shown hold nothing that was hidden."""
    odd = OddAnswers()
    ran = run_beans(redis_url, tmp_path, odd)
    assert ran.returncode == 0, ran.stderr
    file = read_file(tmp_path / "beans.json")
    assert json.loads(ran.stdout)["ended"]["rule"] == f"turns:{TURNS}"
    assert {*HABITS, *WHOLE} <= odd.used
    assert odd.used & {*BROKEN}
    assert odd.used & {*CUT}
    kinds = Counter(row["kind"] for row in entries(file))
    assert kinds["message"] == TURNS + 1
    assert kinds["ballot.cast"]
    summaries = entries(file, frozenset({"summary.made"}))
    assert any(row["how"] == "model" for row in summaries)
    shown = [ran.stdout, ran.stderr, (tmp_path / "beans.json").read_text()]
    with served(redis_url, rate=2000, reads=5000) as server:
        shown += read_pages(server)
    for text in shown:
        hides_nothing(text)
    grants_in_time(file)


def run_beans(redis_url: str, tmp_path: Path, odd: OddAnswers) -> subprocess.CompletedProcess[str]:
    """The scenario played by a process of its own, in `tmp_path`."""
    (tmp_path / "beans.yaml").write_text(SCENARIO)
    with FakeOpenAI(manners=Manners(spoken=odd)) as fake:
        return subprocess.run(
            [sys.executable, "-m", "parley", "run", "beans.yaml", "--fast", "--yes", "--json",
             "--out", "beans.json", "--model-url", fake.url, "--patience", "5"],
            capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE,
            env=environment_of(redis_url), check=False,
        )  # fmt: skip


def read_pages(server: Standing) -> Iterator[str]:
    """What the server answers about the session, on each of `PATHS`."""
    headers = {"Authorization": f"Bearer {server.operator()}"}
    with httpx2.Client(base_url=server.url, headers=headers, timeout=PATIENCE) as client:
        for path in PATHS:
            answer = client.get(f"/v1/sessions/beans{path}")
            assert answer.status_code == 200, (path, answer.text)
            yield answer.text


def hides_nothing(shown: str) -> None:
    """No hidden word, and no mark of what hides it."""
    for each in (MARKER, *MARKS):
        at = shown.lower().find(each)
        assert at < 0, shown[max(0, at - 200) : at + 200]


def grants_in_time(file: SessionFile) -> None:
    """Each turn within `moderator_ms` of the one before it, nearly all by the moderator's word.

    Where its call failed the bids decide.
    """
    free, by = 0, Counter[str]()
    for row in file.rows:
        entry = json.loads(row.body)
        if entry["kind"] in ("floor.released", "floor.resumed", "results.final"):
            free = row.received_ms
        elif entry["kind"] == "floor.granted":
            assert not free or row.received_ms - free < MODERATOR_MS
            by[entry.get("by", "")] += 1
    assert by["chair"] >= TURNS * 3 // 4
