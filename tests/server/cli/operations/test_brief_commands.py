"""`parley brief`: of a record of talk and of a session, for people and for programs."""

from __future__ import annotations

from pathlib import Path

from tests.support.doors.calls import Parley

DEMO = str(Path(__file__).parents[4] / "server/data/demo.jsonl")


def test_the_brief_of_a_file_fits_on_a_screen(parley: Parley) -> None:
    """The sentence, what is in force with dissent and what it replaced, what is open."""
    ran = parley("brief", DEMO)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[1] == "Decided 3, disputed 1, open 1."
    assert lines.index("Decided") < lines.index("Disputed") < lines.index("Open")
    assert any(line.startswith("  D4 West and Skerry first") for line in lines)
    assert any(line.startswith("      instead of D3: All five quays") for line in lines)
    assert len(lines) < 40


def test_the_brief_as_data_is_that_of_the_other_doors(parley: Parley) -> None:
    """One shape; a session's own under the name that asks."""
    (row,) = parley("brief", DEMO, "--at", "40", "--json").rows()
    assert (row["n"], row["counts"]["decided"]) == (40, len(row["decided"]))


def test_a_moment_that_has_not_come_is_refused(parley: Parley) -> None:
    """As by the minutes."""
    ran = parley("brief", DEMO, "--at", "4000")
    assert ran.code != 0
    assert "--at" in ran.err


def test_a_bare_word_names_a_session(parley: Parley) -> None:
    """As by the minutes."""
    ran = parley("brief", "lunch")
    assert ran.code != 0
    assert "lunch" in ran.err
