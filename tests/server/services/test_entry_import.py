"""Entries of every kind through the command line, and what explain says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.doors.calls import Parley

WORK: list[dict[str, Any]] = [
    {"kind": "episode.opened", "participant": "ana", "episode": "goal", "title": "Count doors"},
    {"participant": "ana", "content": "I propose we count the ground floor first."},
    {"kind": "ballot.completed", "participant": "host", "consensus": True, "re": "P1",
     "content": "Ground floor first.", "supporters": ["ana", "bo"]},
]  # fmt: skip


@pytest.fixture
def published(at: Parley, tmp_path: Path) -> Parley:
    """A session `work` that holds `WORK`."""
    file = tmp_path / "work.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in WORK))
    at("session", "new", "work")
    done = at("publish", "work", file)
    assert (done.code, done.out) == (0, "1\n2\n3\n")
    return at


def test_what_is_published_is_explained(published: Parley) -> None:
    """An episode has its history and its place in the context; so has a decision."""
    goal = published("explain", "work", "E1", "--json").rows()[0]
    assert (goal["title"], goal["status"]) == ("Count doors", "open")
    assert goal["context"] == [{"block": "Work in Hand", "fate": "whole", "why": "shown whole"}]
    assert "goal open: Count doors" in published("explain", "work", "e1").out


def test_explain_gives_the_words_in_full(at: Parley) -> None:
    """However long the passage, and though memory holds but a line of it."""
    long = "we move " + "every single one of the boxes " * 12 + "upstairs"
    at("session", "new", "s")
    at("say", "s", f"I propose {long}.", "--as", "ana")
    row = at("explain", "s", "P1", "--json").rows()[0]
    assert long in row["words"][0]["text"]
    assert long in at("explain", "s", "P1").out


def test_an_episode_is_explained_with_what_was_done_in_it(published: Parley) -> None:
    """Its counts and result; the details that its end let go of are told from the log."""
    published("task", "open", "work", "Ask the wing", "--as", "ana")
    published("tool", "put", "work", "count", "--result", "40", "--as", "ana")
    published("task", "close", "work", "--as", "ana", "--result", "Forty.")
    out = published("explain", "work", "E1").out
    assert "E1 goal open: Count doors" in out
    assert "1 run, 1 ok (count 1); tasks: completed 1" in out
    gone = published("explain", "work", "E2")
    assert gone.code == 0
    assert "E2 task let go of: Ask the wing" in gone.out
    assert "message 6: E2 task completed: Ask the wing" in gone.out
    assert published("explain", "work", "E2", "--json").rows()[0]["held"] is False


def test_an_exchange_is_explained_with_its_answer(at: Parley) -> None:
    """Question and answer, both in full."""
    at("session", "new", "desk", "--preset", "assistant")
    at("say", "desk", "How warm is it?", "--as", "user")
    at("say", "desk", "21 degrees.", "--as", "helper")
    out = at("explain", "desk", "E1").out
    assert "How warm is it?" in out
    assert "21 degrees." in out


def test_what_is_no_item_is_said_with_where_items_are(published: Parley) -> None:
    """Proposals and decisions are listed elsewhere than episodes and insights."""
    for ref in ("E9", "I9", "P9", "L1", "9"):
        refused = published("explain", "work", ref)
        assert (refused.code, "--layer episodes" in refused.err) == (1, True)


def test_nothing_is_published_when_a_line_is_wrong(at: Parley, tmp_path: Path) -> None:
    """The line is named, and the log stays as it was."""
    file = tmp_path / "wrong.jsonl"
    file.write_text(json.dumps(WORK[0]) + "\n" + json.dumps({"kind": "step"}) + "\n")
    at("session", "new", "s")
    refused = at("publish", "s", file)
    assert refused.code == 1
    assert "line 2: field" in refused.err
    assert at("session", "show", "s", "--json").rows()[0]["n"] == 0


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"kind": "vote.initiated", "participant": "ana"},
         "field 'content' is missing; vote.initiated has at, content, options, participant, "
         "quorum, re, rule, seconds, secret, window"),
        ({"participant": "Parley", "content": "Decided."}, "the server's own voice"),
        ({"kind": "vote.confirmed"}, "field 'participant' (or 'agent_id') is missing"),
        ({"kind": "step", "participant": "ana", "form": "validation", "content": "x", "okay": 1},
         "no field is called 'okay'; step has at, confidence, content, discovered"),
        ({"kind": "step", "participant": "ana", "form": "validating", "content": "x"},
         "field 'form': Input should be 'reasoning', 'tool_execution', 'validation'"),
    ],
)  # fmt: skip
def test_a_line_that_is_wrong_says_what_its_kind_takes(
    row: dict[str, Any], words: str, at: Parley, tmp_path: Path
) -> None:
    """By the names of the wire, so that nobody has to look them up."""
    file = tmp_path / "wrong.jsonl"
    file.write_text(json.dumps(row) + "\n")
    at("session", "new", "s")
    assert words in at("publish", "s", file).err


def test_publishing_again_under_own_ids_changes_nothing(at: Parley, tmp_path: Path) -> None:
    """Rows with ids may be sent twice."""
    file = tmp_path / "ids.jsonl"
    rows = [{**row, "id": f"w{index}"} for index, row in enumerate(WORK)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    at("session", "new", "s")
    assert at("publish", "s", file).out == at("publish", "s", file).out
    assert at("session", "show", "s", "--json").rows()[0]["n"] == len(WORK)


@pytest.mark.parametrize(
    ("profile", "there", "not_there"),
    [
        ("full", "## Recent Messages", "## History"),
        ("raw", "## Since Your Last Revision", "## Recent Messages"),
        ("history", "## History", "ana thought"),
    ],
)
def test_three_tiers_are_three_profiles(
    at: Parley, tmp_path: Path, profile: str, there: str, not_there: str
) -> None:
    """What a participant speaks from, its own notebook, and the history that all share."""
    file = tmp_path / "talk.jsonl"
    rows = [
        {"participant": "ana", "content": "The floor protects everybody."},
        {"participant": "ana", "content": "I might earn less.", "form": "reasoning"},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    at("session", "new", "s", "--preset", "experiment")
    at("publish", "s", file)
    out = at("context", "s", "--as", "ana", "--profile", profile).out
    assert there in out
    assert not_there not in out
