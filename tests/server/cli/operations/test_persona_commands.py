"""`parley persona …`: who there is, what is wrong with a file, imports."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from parley.personas.library import bundled_cast
from parley.personas.persona_file import parse_persona
from tests.support.doors.calls import Parley

SPOOF = """\
---
name: spoof
description: "Speaks\\e[2J\\u202e always."
---
You are\x1b[31m red.\r
\u202eYou are not.
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parley: Parley) -> Path:
    """A directory of persona files that is in force."""
    path = tmp_path / "mine"
    path.mkdir()
    monkeypatch.setenv("PARLEY_PERSONAS", str(path))
    return path


def test_the_cast_is_listed(parley: Parley) -> None:
    """Without a server, in words and as JSON."""
    rows = parley("persona", "ls", "--json").rows()
    assert [row["name"] for row in rows] == sorted(bundled_cast())
    assert all(row["source"] == "bundled" for row in rows)
    ran = parley("persona", "ls")
    assert ran.code == 0
    assert all(name in ran.out for name in bundled_cast())


def test_ones_own_files_win_and_broken_ones_are_told_of(parley: Parley, folder: Path) -> None:
    """A listing with one bad file is a listing still."""
    mine = "---\nname: skeptic\ndescription: Mine.\n---\nYou are mine.\n"
    (folder / "s.md").write_text(mine)
    (folder / "bad.md").write_text("nothing")
    ran = parley("persona", "ls", "--json")
    assert ran.code == 0
    (row,) = [row for row in ran.rows() if row["name"] == "skeptic"]
    assert (row["description"], row["source"]) == ("Mine.", str(folder / "s.md"))
    assert f"left out: {folder / 'bad.md'}:1: has no front matter" in ran.err
    assert "You are mine." in parley("persona", "show", "skeptic").out


def test_a_persona_is_shown_as_its_file(parley: Parley, tmp_path: Path) -> None:
    """`--raw` is where one's own begins."""
    ran = parley("persona", "show", "skeptic", "--raw")
    assert parse_persona(ran.out, "out").persona == bundled_cast()["skeptic"]
    (row,) = parley("persona", "show", "skeptic", "--json").rows()
    assert row["body"] == bundled_cast()["skeptic"].body
    file = tmp_path / "own.md"
    file.write_text(ran.out)
    assert parley("persona", "show", file, "--raw").out == ran.out


def test_what_would_move_the_cursor_is_spelled_out(parley: Parley, folder: Path) -> None:
    """Control characters and directions of a file that somebody else wrote; raw when asked."""
    (folder / "spoof.md").write_bytes(SPOOF.encode())
    for args in (["ls"], ["show", "spoof"], ["check", folder / "spoof.md"]):
        ran = parley("persona", *args)
        assert ran.code == 0
        assert "\x1b" not in ran.out + ran.err
        assert "\u202e" not in ran.out + ran.err
    assert "You are\\x1b[31m red.\n\\u202eYou" in parley("persona", "show", "spoof").out
    assert "You are\x1b[31m red." in parley("persona", "show", "spoof", "--raw").out


def test_a_check_tells_file_and_line(parley: Parley, tmp_path: Path) -> None:
    """Exit 1 where a file is refused; remarks alone are 0."""
    good, odd, bad = tmp_path / "good.md", tmp_path / "odd.md", tmp_path / "bad.md"
    good.write_text("---\nname: a\ndescription: b\n---\nYou.\n")
    odd.write_text("---\nname: a\ndescription: b\nmodle: small\n---\nYou.\n")
    bad.write_text("---\nname: a\ndescription: b\nparley: {reactivity: 3}\n---\nYou.\n")
    ran = parley("persona", "check", good, odd)
    assert ran.code == 0
    assert f"{good}: a\n" in ran.out
    assert f"{odd}:4: warning: 'modle' is not read; is 'model' meant?" in ran.out
    ran = parley("persona", "check", tmp_path)
    assert ran.code == 1
    assert f"{bad}:4: parley.reactivity takes a number from 0 to 1, not 3" in ran.out
    assert "3 files: 1 refused, 1 warning" in ran.err
    rows = parley("persona", "check", good, bad, tmp_path / "none.md", "--json").rows()
    assert [row["name"] for row in rows] == ["a", None, None]
    assert rows[1]["refused"]["line"] == 4
    assert "No such file" in rows[2]["refused"]["text"]


def test_an_import_writes_files_and_tells_what_became_of_each_key(
    parley: Parley, tmp_path: Path
) -> None:
    """Each file is a persona that can be found; nothing is written over unless told to."""
    source, to = tmp_path / "agents.yaml", tmp_path / "new" / "cast"
    source.write_text(
        "ana:\n  role: A\n  goal: B\n  verbose: true\nbo:\n  role: C\n  backstory: D\n"
    )
    ran = parley("persona", "import", source, "--to", to)
    assert ran.code == 0
    assert "verbose" in ran.out
    assert "2 personas in" in ran.err
    assert sorted(path.name for path in to.iterdir()) == ["ana.md", "bo.md"]
    assert parley("persona", "check", to).code == 0
    (to / "bo.md").write_text("mine")
    (to / "ana.md").unlink()
    ran = parley("persona", "import", source, "--to", to)
    assert ran.code == 1
    assert "--force" in ran.err
    assert [path.name for path in to.iterdir()] == ["bo.md"]
    ran = parley("persona", "import", source, "--to", to, "--force", "--json")
    assert ran.code == 0
    fates = {(row["persona"], row["key"]): row["fate"] for row in ran.rows()}
    assert fates["ana", "verbose"] == "kept"
    assert (to / "bo.md").read_text().startswith("---\nname: bo\n")


def test_an_import_that_fails_leaves_nothing(parley: Parley, tmp_path: Path) -> None:
    """One agent that is none, a target that is a file, one that cannot be written."""
    source, to = tmp_path / "a.json", tmp_path / "to"
    source.write_text(json.dumps([{"name": "a", "role": "b"}, 3]))
    ran = parley("persona", "import", source, "--to", to)
    assert (ran.code, to.exists()) == (1, False)
    assert "agent 2: is no agent" in ran.err
    source.write_text(json.dumps([{"name": "a", "role": "b"}]))
    ran = parley("persona", "import", source, "--to", source)
    assert ran.code == 1
    assert "cannot write to" in ran.err
    (to / "a.md").mkdir(parents=True)
    assert "is no file" in parley("persona", "import", source, "--to", to, "--force").err
    assert os.listdir(to) == ["a.md"]


@pytest.mark.parametrize(
    ("args", "code", "text"),
    [
        (["show", "sceptic"], 1, "is 'skeptic' meant"),
        (["show", "./none.md"], 1, "none.md: cannot be read: No such file"),
        (["show"], 2, "missing argument"),
        (["check"], 2, "missing argument"),
        (["import", "x.json"], 2, "--to"),
        (["import", "x.json", "--to", "."], 1, "x.json: cannot be read"),
        (["ls", "--personas", "nowhere"], 2, "'nowhere' is no directory"),
        (["show", "skeptic", "--personas", "nowhere"], 2, "'nowhere' is no directory"),
    ],
)
def test_a_mistake_ends_in_one_line(parley: Parley, args: list[str], code: int, text: str) -> None:
    """That says what to do."""
    ran = parley("persona", *args)
    assert (ran.code, ran.out) == (code, "")
    assert text in ran.err
    assert "Traceback" not in ran.err
