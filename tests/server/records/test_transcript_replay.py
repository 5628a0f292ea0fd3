"""A transcript through the real bus and a real worker process comes out as it does offline."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from parley.bus import Bus
from parley.server.records import transcript_replay
from tests.support.doors.calls import Parley
from tests.support.processes.running import is_running
from tests.support.servers.fake_openai import FakeOpenAI, Manners
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.servers.servers import every_flavour

DEMO = Path(__file__).resolve().parents[3] / "server" / "data" / "demo.jsonl"


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


def test_another_transcript_is_not_mixed_into_a_session(
    parley: Parley, redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told as what it is, and the session stays as it was."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    for name, words in (("one.log", "yes"), ("two.log", "no")):
        (tmp_path / name).write_text(f"[09:00:01] <ana> {words}\n[09:00:02] <bo> and so on\n")
    assert parley("replay", tmp_path / "one.log", "--session", "s", "--no-wait").code == 0
    ran = parley("replay", tmp_path / "two.log", "--session", "s", "--no-wait")
    assert ran.code == 1
    assert "session 's' holds another transcript" in ran.err


@pytest.mark.parametrize("embedded", ["bundled", "fake"])
def test_the_demo_runs_on_every_embedded_server(
    parley: Parley, monkeypatch: pytest.MonkeyPatch, embedded: str
) -> None:
    """Without Redis, key or settings; not every Python has a bundled server."""
    if embedded not in every_flavour():
        pytest.skip(f"no {embedded} server is installed")
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


async def test_no_worker_outlives_the_call_that_started_it(redis_url: str) -> None:
    """Also when that call is killed -9: its workers drain by themselves."""
    command = [sys.executable, "-m", "parley", "replay", str(DEMO), "--session", "d", "--rate", "1"]
    environment = {name: value for name, value in os.environ.items() if "PARLEY" not in name}
    call = await asyncio.create_subprocess_exec(
        *command, "--redis", redis_url, env=environment, cwd=DEMO.parents[2],
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    async with await Bus.connect(redis_url) as bus:

        async def beating() -> bool:
            return len(await bus.workers()) == 2

        await wait_until(beating)
        pids = [worker.pid for worker in await bus.workers()]
        call.kill()
        await call.wait()
        await wait_until(lambda: not any(map(is_running, pids)))


def test_replies_keep_their_targets_where_others_spoke_first(
    parley: Parley, redis_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file's numbers are its own: `re` names the message, wherever it comes to stand."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    file = tmp_path / "talk.jsonl"
    file.write_text(
        '{"index": 0, "agent_id": "Ada", "content": "Tea?"}\n'
        '{"index": 1, "agent_id": "Bo", "content": "Yes.", "re": 0}\n'
    )
    assert parley("session", "new", "tea").code == 0
    assert parley("say", "tea", "I was here before.").code == 0
    for _ in range(2):
        assert parley("replay", file, "--session", "tea", "--no-wait").code == 0
    heard = parley("watch", "tea", "--after", "3", "--limit", "1", "--no-facts", "--json").rows()
    assert heard[0]["entry"]["re"] == 2


def test_a_bad_reference_stops_before_the_session_is_opened(
    parley: Parley, redis_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing of a bad file reaches the bus, not even its opening."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    file = tmp_path / "talk.jsonl"
    file.write_text('{"index": 0, "agent_id": "Ada", "content": "Tea?", "re": "nobody"}\n')
    ran = parley("replay", file, "--session", "tea")
    assert ran.code == 1
    assert "line 1" in ran.err
    assert parley("session", "ls", "--json").rows() == []


def test_a_summary_that_takes_its_time_is_waited_for(
    parley: Parley, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as the patience says: it is the model's, and no extract."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    monkeypatch.setattr(transcript_replay, "STALLED_SECONDS", 0.2)
    with FakeOpenAI(manners=Manners(first_token_seconds=1.5)) as endpoint:
        ran = parley(
            "replay", DEMO, "--session", "s", "--model-url", endpoint.url,
            "--patience", f"{PATIENCE:g}", "--summary-interval", "20",
        )  # fmt: skip
    assert ran.code == 0, ran.err
    log = json.loads(parley("session", "export", "s", "-o", "-").out)["entries"]
    summaries = [row["entry"] for row in log if row["entry"]["kind"] == "summary.made"]
    assert summaries
    assert {summary["how"] for summary in summaries} == {"model"}


def test_where_nobody_is_at_work_the_wait_ends_and_says_so(
    parley: Parley, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After what a call may take and the time for a step: whoever waits hears what to change."""

    async def has_one(bus: Bus) -> bool:
        return True

    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    monkeypatch.setattr(transcript_replay, "STALLED_SECONDS", 0.2)
    monkeypatch.setattr(transcript_replay, "has_live_worker", has_one)
    ran = parley("replay", DEMO, "--session", "s", "--patience", "0.3")
    assert ran.code == 1
    assert "session 's' has not moved for 0.5 s at 0 of" in ran.err
    assert "give a slow model more --patience" in ran.err
