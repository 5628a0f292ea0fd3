"""Settings of earlier builds at every door: taken, warned of, without effect."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from parley.bus.sessions.session_file import SessionFile, decode_file, encode_file
from parley.server.scenarios.scenario_files import bundled, parse
from parley.server.services.session_settings import draft_change_of_tree
from parley.server.settings import Settings, build_settings, read_sources
from tests.support.doors.calls import Parley

OLD = {"structure": {"manner": "spoken"}}


@pytest.fixture
def at(redis_url: str, monkeypatch: pytest.MonkeyPatch, parley: Parley) -> Parley:
    """`parley` on an empty real server with an open session `s`."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    assert parley("session", "new", "s").code == 0
    return parley


@pytest.fixture
def old_file(at: Parley, tmp_path: Path) -> Path:
    """A session file that opens with one of them, and has another set later."""
    assert at("session", "set", "s", "summary.interval=6").code == 0
    file = decode_file(at("session", "export", "s", "-o", "-").out.encode())
    rows = []
    for row in file.rows:
        entry = json.loads(row.body)
        if "settings" in entry or entry["kind"] == "session.opened":
            entry["settings"] = {**(entry.get("settings") or {}), **OLD}
        rows.append(type(row)(row.seq, row.n, row.id, row.received_ms, json.dumps(entry).encode()))
    path = tmp_path / "old.json"
    path.write_bytes(encode_file(SessionFile(file.session, file.status, tuple(rows))))
    return path


def test_a_session_file_with_them_restores_and_verifies(at: Parley, old_file: Path) -> None:
    """With one warning; its memory is that of a log without."""
    assert at("session", "verify", "--file", str(old_file)).code == 0
    ran = at("session", "import", str(old_file), "--as", "old")
    assert ran.code == 0, ran.err
    assert ran.err.count("warning: structure.manner is no setting any more") == 1
    assert at("session", "verify", "old").code == 0
    assert at("memory", "old", "--json").out == at("memory", "s", "--json").out
    assert at("session", "export", "old", "-o", "-").out.count("spoken") == 2


@pytest.mark.parametrize("where", ["flag", "variable", "file"])
def test_a_process_takes_them(where: str, tmp_path: Path) -> None:
    """From each source, with a warning that names it."""
    file = tmp_path / "parley.toml"
    file.write_text('[structure]\nmanner = "spoken"\n' if where == "file" else "")
    flags = {"structure.manner": "spoken"} if where == "flag" else {}
    variables = {"PARLEY_STRUCTURE_MANNER": "spoken"} if where == "variable" else {}
    sources = read_sources(flags, variables, file)
    assert build_settings(sources) == Settings()
    (warning,) = sources.warnings
    assert warning.endswith("is no setting any more and has no effect")


def test_they_are_flags_still(at: Parley) -> None:
    """Wherever they stand on the line."""
    ran = at("session", "ls", "--structure-manner", "spoken")
    assert ran.code == 0
    assert "warning: --structure-manner is no setting any more" in ran.err


def test_a_live_session_takes_them(at: Parley) -> None:
    """What is set beside them is logged."""
    ran = at("session", "set", "s", "structure.manner=spoken", "summary.interval=6")
    assert ran.code == 0
    assert "warning: structure.manner is no setting any more" in ran.err


def test_a_server_that_is_asked_for_them_logs_it() -> None:
    """The entry keeps what was asked for."""
    with capture_logs() as logged:
        assert draft_change_of_tree(OLD, "ann").settings == OLD
    assert [(line["event"], line["setting"]) for line in logged] == [
        ("setting_without_effect", "structure.manner")
    ]


def test_a_scenario_with_them_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    """As one without."""
    name, text = next((name, text) for name, text in bundled().items() if "\nmemory:\n" in text)
    old = text.replace("\nmemory:\n", "\nmemory:\n  structure: {manner: spoken}\n")
    scenario, plain = parse(old, name).scenario, parse(text, name).scenario
    assert scenario.memory.structure == plain.memory.structure
    assert "memory.structure.manner is no setting any more" in capsys.readouterr().err
