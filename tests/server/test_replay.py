"""A transcript through the real bus and a real worker process comes out as it does offline."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.calls import Parley

DEMO = Path(__file__).resolve().parents[2] / "server" / "data" / "demo.jsonl"


def test_a_settled_session_equals_the_analysis_of_its_file(
    parley: Parley, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker is started and ended with the call; memory, summaries and all, is equal."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    ran = parley("replay", DEMO, "--session", "demo", "--json")
    assert ran.code == 0, ran.err
    report = ran.rows()[0]
    assert report == parley("analyze", DEMO, "--json").rows()[0]
    assert report["statistics"]["summaries_owed"] == 0
    offline = parley("analyze", DEMO, "--format", "memory").out
    assert parley("memory", "demo", "--json").out == offline
    assert parley("session", "verify", "demo").code == 0
    assert parley("status", "--json").rows()[0]["lag"]["entries_not_folded"] == 0


@pytest.mark.parametrize("embedded", ["bundled", "fake"])
def test_the_demo_runs_on_every_embedded_server(
    parley: Parley, monkeypatch: pytest.MonkeyPatch, embedded: str
) -> None:
    """Without Redis, without a key, without settings."""
    monkeypatch.setenv("PARLEY_EMBEDDED", embedded)
    ran = parley("demo", "--fast")
    assert ran.code == 0, ran.err
    assert "this idea was already rejected at message" in ran.out


def test_a_worker_that_cannot_start_is_reported_at_once(
    parley: Parley, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the end of its log, not after a minute of silence."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    monkeypatch.setattr("sys.executable", "/bin/false")
    ran = parley("replay", DEMO, "--session", "demo")
    assert ran.code == 1
    assert "the worker ended with 1" in ran.err
