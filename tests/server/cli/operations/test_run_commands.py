"""`parley run`: scenarios from the first word to the minutes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from parley.bus import Bus
from parley.bus.sessions.session_file import SessionFile
from parley.server.records.session_file import read_file
from parley.server.scenarios.scenario_files import bundled
from parley.server.telemetry.span_ids import trace_id
from tests.support.doors.calls import Parley
from tests.support.processes.running import children_of
from tests.support.servers.fake_openai import FakeOpenAI
from tests.support.servers.otlp_receiver import OtlpReceiver
from tests.support.servers.patience import PATIENCE

ROOT = Path(__file__).parents[4]
SMALL = """\
scenario: 1
title: Backups
opening: {by: host, say: "What do we do about backups?"}
participants:
  - persona: proposer
    as: ana
  - persona: skeptic
    as: bo
stop: {any: [{turns: 8}, {quiescent: true}]}
script:
  ana:
    turns: [{say: We copy them to a second region every night., act: propose}]
    votes: {P1: accept}
  bo:
    turns: [{say: "Has anybody ever restored one?", act: ask}]
    votes: {P1: accept}
"""


def environment_of(redis_url: str) -> dict[str, str]:
    """What a command finds that is run on that Redis, from any directory."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PARLEY_")}
    return {**own, "PARLEY_REDIS": redis_url, "PYTHONPATH": str(ROOT)}


def entries(file: SessionFile, kinds: frozenset[str] | None = None) -> list[Any]:
    rows = [json.loads(row.body) for row in file.rows]
    return [row for row in rows if kinds is None or row["kind"] in kinds]


def committed(file: SessionFile) -> dict[int, list[str]]:
    """Who spoke in each epoch of the floor, by the releases that came with it."""
    names: dict[int, list[str]] = {}
    for row in entries(file):
        if row["kind"] == "floor.released" and row.get("reason", "spoke") == "spoke":
            names.setdefault(row["epoch"], []).append(row["participant"])
    return names


def laws_hold(file: SessionFile, report: dict[str, Any]) -> None:
    """One commit an epoch, one holder at a time, and no more spent than was allowed."""
    assert all(len(names) == 1 for names in committed(file).values())
    epochs = [row["epoch"] for row in entries(file, frozenset({"floor.granted", "floor.released"}))]
    assert epochs == list(range(1, len(epochs) + 1))
    opened = entries(file)[0]["settings"]
    assert report["ended"]["totals"]["tokens"] <= opened["budget"]["tokens"]


# Live, a talk takes its time: up to half a minute, which its rehearsal in virtual time does not.
PLAYED = [
    pytest.param(name, marks=() if name == "budget" else pytest.mark.long) for name in bundled()
]


@pytest.mark.parametrize("name", PLAYED)
def test_a_bundled_scenario_ends_by_a_rule_and_decides(
    at: Parley, tmp_path: Path, name: str
) -> None:
    """Through the bus and a worker: a decision with its dissent, and a log that verifies."""
    out = tmp_path / "out.json"
    ran = at("run", name, "--fast", "--json", "--out", out)
    assert ran.code == 0, ran.err
    (report,) = ran.rows()
    assert report["ended"]["rule"]
    assert report["minutes"]["decisions"][0]["status"] == "ratified"
    assert report["ended"]["totals"]["turns"] >= 10
    laws_hold(read_file(out), report)
    assert at("session", "verify", report["session"]).code == 0
    assert at("session", "verify", "--file", out).code == 0


@pytest.mark.parametrize("name", bundled())
def test_the_same_seed_gives_the_same_talk(parley: Parley, tmp_path: Path, name: str) -> None:
    """Byte for byte, without Redis, and in virtual time; an idea that comes back is told."""
    files = []
    for number in (1, 2):
        out = tmp_path / f"{number}.json"
        ran = parley("run", name, "--seed", "7", "--json", "--fast", "--out", out)
        assert ran.code == 0, ran.err
        files.append(out.read_bytes())
    assert files[0] == files[1]
    (report,) = ran.rows()
    assert report["ended"]["rule"]
    assert report["minutes"]["decisions"][0]["status"] == "ratified"
    laws_hold(read_file(tmp_path / "1.json"), report)
    messages = entries(read_file(tmp_path / "1.json"), frozenset({"message"}))
    assert 18 <= len(messages) <= 31
    assert parley("session", "verify", "--file", tmp_path / "1.json").code == 0


def test_ideas_that_come_back_amendments_and_dissent_are_in_the_minutes(parley: Parley) -> None:
    """What the scenarios are there to show."""
    reports = {
        name: parley("run", name, "--seed", "1", "--json", "--fast").rows()[0]["minutes"]
        for name in bundled()
    }
    assert reports["architecture"]["echoes"]
    assert reports["budget"]["echoes"]
    assert any(row["relation"] == "amends" for row in reports["review"]["settled"])
    assert [
        report["participant"] for report in reports["architecture"]["decisions"][0]["dissenters"]
    ]


def test_another_seed_may_be_another_talk_and_ends_all_the_same(parley: Parley) -> None:
    """What decides between equal bids is the seed."""
    ends = {
        parley("run", "budget", "--seed", str(seed), "--json", "--fast").rows()[0]["ended"]["rule"]
        for seed in range(5)
    }
    assert ends <= {"quiescent", "turns:40", "hops"}


def test_agents_in_processes_hold_the_same_laws(at: Parley, tmp_path: Path) -> None:
    """Two processes host the cast, and an arbiter each; nobody speaks before all are there."""
    out = tmp_path / "out.json"
    ran = at("run", "budget", "--fast", "--processes", "2", "--json", "--out", out)
    assert ran.code == 0, ran.err
    (report,) = ran.rows()
    file = read_file(out)
    laws_hold(file, report)
    kinds = [row["kind"] for row in entries(file)]
    first = kinds.index("floor.granted")
    assert kinds[:first].count("participant.joined") == 7
    seats = {row["seat"] for row in entries(file) if row["kind"] == "participant.joined"}
    assert len(seats) == 2
    assert report["ended"]["totals"]["turns"] >= 10


def test_a_second_run_is_a_session_of_its_own(at: Parley, tmp_path: Path) -> None:
    """Unless it was named: a session that is closed is not gone on with."""
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    names = [at("run", path, "--fast", "--json").rows()[0]["session"] for _ in range(2)]
    assert names == ["small", "small-2"]
    ran = at("run", path, "--fast", "--session", "small")
    assert (ran.code, ran.err.splitlines()[-1]) == (
        1, "parley: session 'small' is closed; give another name with --session",
    )  # fmt: skip
    at("session", "new", "other")
    assert "another talk" in at("run", path, "--fast", "--session", "other").err


def test_ctrl_c_closes_nothing_and_the_same_command_goes_on(redis_url: str, tmp_path: Path) -> None:
    """The agents leave, the session stays open, and the second call ends it."""
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    command = [sys.executable, "-m", "parley", "run", str(path), "--offline", "--session", "talk"]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, cwd=tmp_path,
        env=environment_of(redis_url),
    )  # fmt: skip
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if "to a second region" in line:
            process.send_signal(signal.SIGINT)
            break
    rest = process.stderr.read()
    process.stderr.close()
    assert process.wait(PATIENCE) == 130, "".join(lines) + rest
    assert f"'parley run {path} --session talk' goes on" in rest
    again = subprocess.run(
        [*command, "--fast", "--json"], capture_output=True, text=True, cwd=tmp_path,
        timeout=PATIENCE, env=environment_of(redis_url), check=False,
    )  # fmt: skip
    assert again.returncode == 0, again.stderr
    assert "session 'talk' goes on" in again.stderr
    assert json.loads(again.stdout)["ended"]["rule"]


def test_it_ends_with_the_process_that_had_it_played(redis_url: str) -> None:
    """A server that was killed leaves nobody talking; process 1 is not the parent of this one."""
    command = [sys.executable, "-m", "parley", "run", "budget", "--offline", "--minder", "1"]
    ran = subprocess.run(
        command, capture_output=True, text=True, env=environment_of(redis_url), timeout=PATIENCE,
        check=False,
    )  # fmt: skip
    assert ran.returncode in (128 + signal.SIGTERM, -signal.SIGTERM)  # asked, or before it began
    assert "Traceback" not in ran.stderr


def test_a_model_that_never_answers_is_a_failure(at: Parley, tmp_path: Path) -> None:
    """Nobody chose to be silent: the reasons are told, and the exit code is 1."""
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    with FakeOpenAI() as fake:
        fake.fail("401")
        ran = at("run", path, "--fast", "--yes", "--model-url", fake.url)
        assert fake.calls
    assert ran.code == 1
    assert "Incorrect API key" in ran.err
    assert "was answered: 'parley doctor' asks the endpoint" in ran.err.splitlines()[-1]


def test_a_worker_that_was_killed_is_replaced(redis_url: str, tmp_path: Path) -> None:
    """What was said is not lost over it: another one settles the memory."""
    path, out = tmp_path / "small.yaml", tmp_path / "out.json"
    path.write_text(SMALL)
    command = [sys.executable, "-m", "parley", "run", str(path), "--offline", "--out", str(out)]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        env=environment_of(redis_url),
    ) as process:  # fmt: skip
        assert process.stderr is not None
        for line in process.stderr:
            if "to a second region" in line:
                break
        for child in children_of(process.pid):
            os.kill(child, signal.SIGKILL)
        rest = process.stderr.read()
        assert process.wait(PATIENCE) == 0, rest
    assert "the worker ended with -9; another one goes on" in rest
    assert entries(read_file(out))[-1]["kind"] == "session.closed"


def test_a_worker_that_is_dead_and_looks_alive_is_replaced(
    at: Parley, redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a power cut its last sign of life may be younger than the run."""
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    for module in ("runtime.worker_process", "plays.play"):
        monkeypatch.setattr(f"parley.server.{module}.STALE_MS", 3_000)

    async def last_sign() -> None:
        async with await Bus.connect(redis_url) as bus:
            await bus.beat("ghost", {})

    asyncio.run(last_sign())
    ran = at("run", path, "--fast")
    assert ran.code == 0, ran.err


def test_what_makes_no_sense_is_refused_before_anything_begins(
    parley: Parley, tmp_path: Path
) -> None:
    """In one line, exit code 2."""
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    mute = tmp_path / "mute.yaml"
    mute.write_text(SMALL.partition("script:")[0])
    for args, says in (
        (("run", path, "--seed", "1", "--processes", "2"), "leave --processes out"),
        (("run", path, "--out", tmp_path / "no" / "x.json"), "no such folder"),
        (("run", mute, "--seed", "1"), "has no script"),
        (("run", "nothing-like-it", "--seed", "1"), "no scenario is called"),
    ):
        ran = parley(*args)
        assert ran.code == 2, ran.err
        assert says in ran.err
        assert "Traceback" not in ran.err


def test_what_it_may_come_to_is_said_before(parley: Parley, tmp_path: Path) -> None:
    """And that no model is asked."""
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    ran = parley("run", path, "--seed", "1")
    assert ran.err.startswith("no model is asked")
    assert "at most 8 turns" in ran.err
    assert "cost unknown" in ran.err
    assert "small ended: quiescent\n" in ran.out
    assert "tokens, cost unknown: no prices" in ran.out
    assert "[OPPOSE" not in ran.out


def bid_and_speak(prompt: str) -> str:
    """What somebody answers who always has something to say, never the same twice."""
    if prompt.rstrip().endswith("urgency: 0 to 3."):
        return '{"act": "bid", "intent": "inform", "novelty": "a price"}'
    return f"It costs {len(prompt)} crowns a month."


def test_with_an_endpoint_its_models_speak_within_the_budget(at: Parley, tmp_path: Path) -> None:
    """The names are the scenario's, each call is counted, and nothing is paid beyond the worst."""
    path = tmp_path / "small.yaml"
    path.write_text(
        SMALL + "models: {small: mini, large: maxi}\nbudget: {tokens: 60000, cost: 1}\n"
        "prices: {small: {input: 1, output: 2}, large: {input: 3, output: 4}}\n"
    )
    with FakeOpenAI(bid_and_speak) as endpoint:
        ran = at("run", path, "--fast", "--json", "--model-url", endpoint.url, "--model-key", "k")
        asked = {served.model for served in endpoint.served}
    assert ran.code == 0, ran.err
    assert "no model is asked" not in ran.err
    (report,) = ran.rows()
    totals = report["ended"]["totals"]
    assert asked <= {"mini", "maxi"}
    assert totals["turns"] > 0
    assert 0 < totals["tokens"] <= 60_000
    assert 0 < totals["micros"] <= 1_000_000
    cost = float(ran.err.partition(" cost ")[2].split()[0])
    assert totals["micros"] <= cost * 1_000_000


def test_what_agents_say_is_followed_from_its_publication(
    at: Parley, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the process that hosts them, to the collector that is set."""
    path, out = tmp_path / "small.yaml", tmp_path / "small.json"
    path.write_text(SMALL)
    with OtlpReceiver() as receiver:
        monkeypatch.setenv("PARLEY_TELEMETRY_URL", receiver.url)
        monkeypatch.setenv("PARLEY_TELEMETRY_RATIO", "1")
        ran = at("run", str(path), "--fast", "--json", "--out", str(out))
    assert ran.code == 0, ran.err
    session = ran.rows()[0]["session"]
    published = {span.trace_id for span in receiver.spans if span.name == "publish"}
    rows = [row for row in read_file(out).rows if json.loads(row.body)["kind"] == "message"]
    traces = {trace_id(session, row.id).to_bytes(16) for row in rows}
    assert traces
    assert traces <= published
    assert "parley-agents" in receiver.services


def test_what_is_said_is_followed_from_its_publication(
    at: Parley, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it takes a side, is published raw, or is a vote or a ballot.

    A command that publishes nothing sends nothing.
    """
    at("session", "new", "tea")
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"kind": "message", "participant": "cy", "content": "Tea!", "id": "m3"}\n')
    with OtlpReceiver() as receiver:
        monkeypatch.setenv("PARLEY_TELEMETRY_URL", receiver.url)
        monkeypatch.setenv("PARLEY_TELEMETRY_RATIO", "1")
        said = [
            at("say", "tea", "I propose green tea.", "--as", "ana", "--id", "m1"),
            at("say", "tea", "Yes.", "--as", "bo", "--act", "accept", "--re", "P1", "--id", "m2"),
            at("publish", "tea", str(lines)),
            at("vote", "call", "tea", "Which tea?", "--option", "oolong", "--option", "white"),
            at("vote", "cast", "tea", "V1", "oolong", "--as", "bo"),
        ]
        sent = len(receiver.spans)
        assert at("status").code == 0
        assert len(receiver.spans) == sent
    assert [ran.code for ran in said] == [0] * 5, [ran.err for ran in said]
    published = {span.trace_id for span in receiver.spans if span.name == "publish"}
    assert published > {trace_id("tea", name).to_bytes(16) for name in ("m1", "m2", "m3")}
    assert len(published) == 5
