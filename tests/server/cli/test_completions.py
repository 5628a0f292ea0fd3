"""What the shell completes: what is there, soon, and without a word where nothing is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.doors.calls import Parley
from tests.support.servers.patience import wait_until


def completed(line: str, **environment: str) -> list[str]:
    """What a shell suggests behind `line`; nothing else may be printed."""
    words = line.split(" ")
    asking = {
        "_PARLEY_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1),
    }  # fmt: skip
    ran = subprocess.run(
        [sys.executable, "-c", "from parley.server.cli.main import main; main()"],
        env={**os.environ, **environment, **asking}, capture_output=True, text=True, timeout=30,
        check=False,
    )  # fmt: skip
    assert ran.stderr == ""
    return ran.stdout.split()


@pytest.fixture
def harbour(redis_url: str, monkeypatch: pytest.MonkeyPatch, parley: Parley) -> Parley:
    """Two sessions, one of them with a proposal that was accepted."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    for name in ("harbour", "pier"):
        assert parley("session", "new", name).code == 0
    for who, words in (("Ana", "[PROPOSAL] A lamp."), ("Bo", "+1 to P1"), ("Cy", "+1 to P1")):
        assert parley("say", "harbour", words, "--as", who).code == 0
    return parley


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("parley say ", {"harbour", "pier"}),
        ("parley memory ha", {"harbour"}),
        ("parley explain harbour ", {"P1", "D1"}),
        ("parley say harbour --re D", {"D1"}),
    ],
)
async def test_names_of_sessions_and_handles_are_completed(
    harbour: Parley, line: str, words: set[str]
) -> None:
    """By what was typed, of the session that the line names; busy, it may take a second key."""
    await wait_until(lambda: set(completed(line)) == words)


def test_a_session_that_is_not_there_has_no_handles(harbour: Parley) -> None:
    """And no error."""
    assert completed("parley explain nowhere ") == []


def test_what_needs_no_server_is_completed_without_one(tmp_path: Path) -> None:
    """Acts, settings, personas, scenarios; where Redis is away there is nothing, and no error."""
    away = {"PARLEY_REDIS": "unix:///nowhere/at/all", "PARLEY_DATA": str(tmp_path)}
    assert completed("parley say s x --act pro", **away) == ["propose"]
    assert "floor.policy=" in completed("parley session set s floor.", **away)
    assert "skeptic" in completed("parley persona show s", **away)
    assert "budget" in completed("parley run b", **away)
    assert completed("parley say ", **away) == []
    assert completed("parley say ", PARLEY_REDIS="", PARLEY_DATA=str(tmp_path)) == []
    assert list(tmp_path.iterdir()) == []
    assert completed("parley say ", PARLEY_REDISS="what") == []
