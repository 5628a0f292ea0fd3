"""`parley patterns`: packs listed, shown, checked and tried over a transcript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from parley.listeners.sessions.shipped_packs import shipped_packs
from parley.server.catalogue import pattern_catalogue
from tests.support.doors.calls import Parley

YARR: dict[str, Any] = {
    "name": "harbour.yarr",
    "act": "support",
    "pattern": r"\byarr,? captain\b",
    "examples": {"matches": ["Yarr, captain!"], "not": ["Was that a yarr, captain?"]},
}


def written(folder: Path, *rules: dict[str, Any], **more: Any) -> str:
    file = folder / "harbour.json"
    file.write_text(json.dumps({"name": "harbour@1", "rules": rules, **more}))
    return str(file)


def test_a_sound_pack_passes_and_tells_its_cost(parley: Parley, tmp_path: Path) -> None:
    """The figures of the guarantee are those of this pack, measured now."""
    ran = parley("patterns", "check", written(tmp_path, YARR), "--json")
    assert ran.code == 0
    (row,) = ran.rows()
    assert (row["sound"], row["doubts"], row["examples"], row["tried"]) == (True, [], [], 2)
    assert row["linear"]["largest"] == "harbour.yarr"
    assert 0 < row["linear"]["milliseconds"] < 5_000


def test_every_problem_of_a_refused_pack_is_told(parley: Parley, tmp_path: Path) -> None:
    """One line a problem, naming the rule; exit code 1."""
    rules = ({**YARR, "pattern": "(?!x)"}, {**YARR, "name": "b", "pattern": "x*"})
    ran = parley("patterns", "check", written(tmp_path, *rules))
    assert ran.code == 1
    assert "harbour.yarr: RE2 refuses it" in ran.out
    assert "b: it matches the empty text" in ran.out
    assert "2 problems" in ran.out


def test_an_example_that_fails_fails_the_check(parley: Parley, tmp_path: Path) -> None:
    """It is told which, and what dropped it."""
    examples = {"matches": ["Was that a yarr, captain?"], "not": ["Yarr, captain!"]}
    ran = parley("patterns", "check", written(tmp_path, {**YARR, "examples": examples}))
    assert ran.code == 1
    assert "'Was that a yarr, captain?': dropped: question" in ran.out
    assert "'Yarr, captain!': matches, and must not" in ran.out


def test_a_rule_that_reads_plain_talk_is_doubted(parley: Parley, tmp_path: Path) -> None:
    """Words of the shipped counter-examples, without guards, are read where nothing is said."""
    rule = {**YARR, "pattern": "they agreed", "examples": {}}
    ran = parley("patterns", "check", written(tmp_path, rule))
    assert ran.code == 0
    assert "warning: harbour.yarr: it reads 'support' in" in ran.out


def test_a_dry_run_tells_what_was_read_and_what_was_dropped(parley: Parley, tmp_path: Path) -> None:
    """By message, rule and span; a dropped one with the guard that dropped it."""
    talk = tmp_path / "talk.jsonl"
    messages = ["Yarr, captain, we sail.", "Yarr, captain?", "I never said yarr captain.", "No."]
    talk.write_text("\n".join(
        json.dumps({"index": number, "agent_id": "ana", "content": text})
        for number, text in enumerate(messages, 1)
    ))  # fmt: skip
    ran = parley("patterns", "check", written(tmp_path, YARR), "--over", str(talk), "--json")
    rows = ran.rows()[0]["over"]
    assert [(row["message"], row["dropped"], row["span"]) for row in rows] == [
        (1, "", "Yarr, captain"), (2, "question", "Yarr, captain"), (3, "negation", "yarr captain"),
    ]  # fmt: skip
    ran = parley("patterns", "check", written(tmp_path, YARR), "--over", str(talk))
    assert "1 act read, 2 dropped" in ran.out


@pytest.mark.parametrize("name", [pack.name for pack in shipped_packs()])
def test_a_shipped_pack_is_beyond_doubt(name: str) -> None:
    """Of what Parley ships nothing is refused, doubted, or read in plain talk."""
    row = pattern_catalogue.check_pack(name)
    assert row["sound"]
    assert row["doubts"] == []


def test_shipped_packs_are_listed_and_shown(parley: Parley) -> None:
    """By name, with their hash."""
    rows = parley("patterns", "ls", "--json").rows()
    assert [(row["pack"], row["hash"]) for row in rows] == [
        (pack.name, pack.hash) for pack in shipped_packs()
    ]
    (row,) = parley("patterns", "show", "ja@1", "--json").rows()
    assert row["name"] == "ja@1"
    assert "propose.verb" in parley("patterns", "show", "ja@1").out


def test_an_unknown_pack_is_refused_in_one_line(parley: Parley) -> None:
    """Misuse, with the nearest name."""
    ran = parley("patterns", "check", "jaa@1")
    assert (ran.code, ran.out) == (2, "")
    assert "'ja@1'" in ran.err


def test_what_a_pack_says_cannot_move_the_cursor(parley: Parley, tmp_path: Path) -> None:
    """Escape sequences in a file are shown as such."""
    rule = {**YARR, "name": "\x1b[2Jname", "pattern": "("}
    ran = parley("patterns", "check", written(tmp_path, rule))
    assert ran.code == 1
    assert "\x1b" not in ran.out
