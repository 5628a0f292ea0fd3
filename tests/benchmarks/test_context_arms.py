"""Talk of the same people from three contexts: what is asked, kept, counted, gone on with."""

from __future__ import annotations

import json
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest

from benchmarks import extraction
from benchmarks.context_arms import (
    ARMS,
    CASE,
    LAST,
    Case,
    Table,
    ask,
    contradictions,
    figures,
    is_copy,
    read_rows,
    speakers,
)
from parley.memory.state.floor_state import Bid
from tests.support.servers.fake_openai import FakeOpenAI

NIGHTS = "We rehearse a restore every quarter, because a day was lost the last time."
ADDED = (
    "Ines keeps the list of who is called at night.",
    "What a rehearsal finds goes into the shared notebook.",
    "The second server has too small a disk.",
)


@pytest.fixture(scope="module")
def case() -> Case:
    return Case.read(CASE)


def run(fake: FakeOpenAI, out: Path, monkeypatch: pytest.MonkeyPatch, *more: str) -> None:
    """`make eval ARGS=--deliberation` against that endpoint."""
    arguments = ["--deliberation", "--model", "m", "--model-url", fake.url, "--out", str(out)]
    monkeypatch.setattr("sys.argv", ["extraction", *arguments, *more])
    extraction.main()


def test_the_opening_agrees_on_what_is_held_against_the_arms(case: Case) -> None:
    """Two decisions are ratified before the first turn; the rejected proposal is withdrawn."""
    table = Table(case)
    assert [decision.status for decision in table.memory.decisions.values()] == ["ratified"] * 2
    assert [fact.ref for fact in table.facts if fact.kind == "proposal.made"] == ["P1", "P2", "P3"]
    assert not [text for _, text in case.opening[11:] if contradictions(case, text)]


def test_arms_differ_in_their_context_alone(case: Case) -> None:
    """Who is asked and what for are the same; the last ten messages are ten."""
    table, persona = Table(case), case.personas[0]
    prompts = {arm: ask(arm, table, persona) for arm in ARMS}
    assert len({prompt.system for prompt in prompts.values()}) == 1
    ends = {prompt.user.rpartition("\n\n")[2] for prompt in prompts.values()}
    assert len(ends) == 1
    assert "Say it in" in ends.pop()
    assert prompts["whole"].user.count("\n- n ") == len(case.opening)
    assert prompts["last"].user.count("\n- n ") == LAST
    assert "- D1 " in prompts["parley"].user


def test_who_bid_is_offered_no_tags(case: Case) -> None:
    table, persona = Table(case), case.personas[0]
    assert "[PROPOSE]" in ask("last", table, persona).user.rpartition("\n\n")[2]
    assert "[PROPOSE]" not in ask("last", table, persona, Bid()).user.rpartition("\n\n")[2]


def test_speakers_are_drawn_by_the_seed(case: Case) -> None:
    """Everybody once a round, nobody twice in a row."""
    for seed in range(20):
        names = [persona.name for persona in islice(speakers(case, seed), 12)]
        assert names == [persona.name for persona in islice(speakers(case, seed), 12)]
        assert all(first != second for first, second in pairwise(names))
        assert all(len(set(names[at : at + 4])) == 4 for at in (0, 4, 8))


def test_a_run_goes_on_where_it_was(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Turns that a file has are not asked again; a line that was broken off is."""
    with FakeOpenAI() as fake:
        fake.answer = lambda user: f"{NIGHTS} {ADDED[user.count('- n ') - len(case.opening)]}"
        run(fake, tmp_path, monkeypatch, "--turns", "2", "--arms", "whole")
        file = tmp_path / "whole.1.jsonl"
        first = file.read_text("utf-8")
        file.write_text(first + first[:40], "utf-8")
        capsys.readouterr()
        run(fake, tmp_path, monkeypatch, "--turns", "3", "--arms", "whole", "--json")
    assert len(fake.requests) == 3
    assert file.read_text("utf-8").startswith(first)
    rows = read_rows(file)
    assert [len(row["drafts"]) for row in rows] == [1, 1, 1]
    assert rows[2]["drafts"][0]["prompt"].count("\n- n ") == len(case.opening) + 2
    figures_of: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert figures_of["whole"]["turns"] == figures_of["whole"]["said"] == 3
    assert figures_of["whole"]["copied"] == 2  # all but the first


def test_a_draft_with_a_fault_is_asked_for_once_more(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in a session: a message that stands there already is refused, and then it is silence."""
    reply = case.opening[14][1]
    with FakeOpenAI() as fake:
        fake.answer = lambda _: reply
        run(fake, tmp_path, monkeypatch, "--turns", "1", "--arms", "last", "--json")
    row: dict[str, Any] = json.loads(capsys.readouterr().out)["last"]
    assert (row["silent"], row["drafts_refused"], len(fake.requests)) == (1, 2, 2)


def test_what_is_counted(case: Case) -> None:
    """Decisions with a reason, and sentences for what was agreed not to be."""
    assert contradictions(case, "We could use a cloud bucket. No cloud bucket, please.") == [
        "We could use a cloud bucket."
    ]
    assert is_copy("[PROPOSE] a b c d e f", ["x a b c d e f y"])
    assert not is_copy("a b c d e z y x w v u t", ["a b c d e f"])
    table = Table(case)
    row = {"who": "skeptic", "sent": 5, "heard": 3, "seconds": 1.0, "text": "", "drafts": []}
    assert figures(case, table, [row])["silent"] == 1
