"""`parley redact`: what it shows, what it takes, and what is whole afterwards."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import redis

from tests.support.doors.calls import Parley
from tests.support.servers.stored import stored

SECRET = "zanzibar"


@pytest.fixture
def talked(parley: Parley, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Parley:
    """`parley` on a server with a session `s` whose second message tells a secret."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    parley("session", "new", "s")
    for who, text in (
        ("ana", "[PROPOSAL] We paint it green."),
        ("bo", f"[PROPOSAL] We meet in {SECRET}."),
        ("cy", "I support P2."),
        ("ana", "I support P2."),
    ):
        assert parley("say", "s", text, "--as", who).code == 0
    return parley


def test_it_shows_what_goes_and_asks(talked: Parley, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a yes nothing happens."""
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    ran = talked("redact", "s", "2", "--reason", "a place")
    assert ran.code == 1
    assert SECRET in ran.err
    assert SECRET in talked("memory", "s").out


def test_afterwards_the_session_is_whole_and_wordless(
    talked: Parley, redis_url: str, tmp_path: Path
) -> None:
    """Verify, export, import, fork and every key of the server."""
    ran = talked("redact", "s", "2", "--reason", "a place", "--as", "ops", "--yes")
    assert ran.code == 0
    assert "words of entry 2 of s are gone" in ran.err
    minutes = talked("memory", "s").out
    assert SECRET not in minutes
    assert "P2" in minutes
    assert "accepted" in minutes
    assert talked("session", "verify", "s").code == 0
    assert talked("session", "export", "s", "-o", tmp_path / "s.json").code == 0
    assert SECRET not in (tmp_path / "s.json").read_text()
    assert talked("session", "verify", "--file", tmp_path / "s.json").code == 0
    assert talked("session", "import", tmp_path / "s.json", "--as", "t").code == 0
    assert talked("session", "fork", "s", "u", "--at", "3").code == 0
    for name in ("t", "u"):
        assert talked("session", "verify", name).code == 0
    assert talked("memory", "t", "--json").out == talked("memory", "s", "--json").out
    with redis.Redis.from_url(redis_url) as raw:
        assert SECRET.encode() not in stored(raw)


def test_it_can_be_repeated(talked: Parley) -> None:
    """The second time there is nothing to do."""
    talked("redact", "s", "2", "--reason", "a place", "--yes")
    ran = talked("redact", "s", "2", "--reason", "a place", "--yes", "--json")
    assert ran.code == 0
    assert ran.rows()[0]["again"] is True


@pytest.mark.parametrize(
    ("args", "code", "text"),
    [
        (["s", "9", "--reason", "x", "--yes"], 2, "its last one is 4"),
        (["none", "1", "--reason", "x", "--yes"], 1, "no session"),
        (["s", "2", "--reason", " ", "--yes"], 2, "--reason"),
        (["s", "0", "--reason", "x"], 2, "'N'"),
    ],
)
def test_what_cannot_be_is_refused(talked: Parley, args: list[str], code: int, text: str) -> None:
    """In one line that says why."""
    ran = talked("redact", *args)
    assert ran.code == code
    assert text in ran.err
