"""`parley scenario new` and `parley persona new`: files to begin with, sound as they are."""

from __future__ import annotations

from pathlib import Path

from tests.support.doors.calls import Parley


def test_a_new_scenario_passes_its_check_and_runs(parley: Parley, tmp_path: Path) -> None:
    """Named after its file; its script comes to a decision."""
    file = tmp_path / "where-the-boats-go.yaml"
    made = parley("scenario", "new", str(file.with_suffix("")))
    assert (made.code, made.out) == (0, f"{file}\n")
    assert "title: Where the boats go\n" in file.read_text()
    checked = parley("scenario", "check", str(file))
    assert (checked.code, ": sound; at most 20 turns" in checked.out) == (0, True), checked.out
    ran = parley("run", str(file), "--seed", "1", "--fast")
    assert ran.code == 0, ran.err
    assert "D1 ratified" in ran.out


def test_a_new_persona_passes_its_check_without_a_remark(parley: Parley, tmp_path: Path) -> None:
    """And can be seated by the scenario beside it."""
    file = tmp_path / "Harbour Pilot.md"
    made = parley("persona", "new", str(file), "--json")
    assert (made.code, made.rows()) == (0, [{"file": str(file)}])
    assert "name: harbour-pilot\n" in file.read_text()
    checked = parley("persona", "check", str(file))
    assert (checked.code, "0 refused, 0 warnings" in checked.err) == (0, True), checked.err
    scenario = tmp_path / "boats.yaml"
    parley("scenario", "new", str(scenario))
    text = scenario.read_text().replace("persona: proposer ", "persona: './Harbour Pilot.md' ")
    scenario.write_text(text.replace("\n  proposer:", "\n  harbour-pilot:"))
    checked = parley("scenario", "check", str(scenario))
    assert checked.code == 0, checked.out + checked.err


def test_a_file_that_is_there_stays(parley: Parley, tmp_path: Path) -> None:
    """Unless with --force; a name that none may have is refused."""
    file = tmp_path / "boats.yaml"
    file.write_text("mine")
    ran = parley("scenario", "new", str(file))
    assert (ran.code, file.read_text()) == (1, "mine")
    assert "is there already; --force writes over it" in ran.err
    assert parley("scenario", "new", str(file), "--force").code == 0
    assert parley("persona", "new", str(tmp_path / "parley.md")).code == 2
    assert parley("persona", "new", str(tmp_path / "none" / "eve.md")).code == 1
