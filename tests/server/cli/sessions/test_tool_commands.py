"""`parley tool` and `parley context --trace`, against a real server."""

from __future__ import annotations

import io
import json
import sys

import pytest

from tests.support.doors.calls import Parley

OSLO = '{"city": "Oslo", "days": 1}'


@pytest.fixture
def desk(redis_url: str, monkeypatch: pytest.MonkeyPatch, parley: Parley) -> Parley:
    """A session whose user asked one question and got its answer."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    monkeypatch.setenv("PARLEY_EXCHANGE_USERS", '["user"]')
    assert parley("session", "new", "desk").code == 0
    assert parley("say", "desk", "How warm is it?", "--as", "user").code == 0
    assert parley("say", "desk", "21 degrees.", "--as", "helper").code == 0
    return parley


def test_a_command_is_run_once_while_its_result_is_kept(desk: Parley) -> None:
    """What it prints is kept; a failure is told with its words, and kept by nobody."""
    call = ("tool", "call", "desk", "clock", "--args", OSLO, "--as", "helper", "--")
    stamp = (*call, sys.executable, "-c", "import time; print(time.monotonic_ns())")
    first, second = desk(*stamp), desk(*stamp)
    assert (first.code, second.out) == (0, first.out)
    broken = (
        "tool",
        "call",
        "desk",
        "bell",
        "--",
        sys.executable,
        "-c",
        "raise SystemExit('mute')",
    )
    ran = desk(*broken)
    assert (ran.code, ran.err) == (1, f"parley: {sys.executable!r} ended with 1: mute\n")
    ran = desk("tool", "call", "desk", "bell", "--", "no-such-command")
    assert (ran.code, ran.err) == (
        1,
        "parley: 'no-such-command' cannot be run: No such file or directory\n",
    )
    assert [row["tool"] for row in desk("tool", "ls", "desk", "--json").rows()] == ["clock"]


def test_a_screen_is_shown_once(desk: Parley) -> None:
    """The messages, and nothing where the content was noted before."""
    shown = desk("tool", "screen", "desk", "birds", "The birds of June", "--as", "helper")
    assert (shown.code, "The birds of June" in shown.out) == (0, True)
    again = desk("tool", "screen", "desk", "birds", "The birds of June", "--as", "helper")
    assert (again.code, again.out) == (0, "")


def test_a_result_is_put_and_got(desk: Parley) -> None:
    """The same arguments in other words get it; it is printed as it was."""
    put = desk("tool", "put", "desk", "weather", "--args", OSLO, "--result", "rain\nand wind",
               "--ttl", "2", "--call-id", "call_7", "--as", "helper")  # fmt: skip
    assert (put.code, put.out) == (0, "3\n")
    got = desk("tool", "get", "desk", "weather", "--args", '{"days": 1.0, "city": "Oslo"}')
    assert (got.code, got.out) == (0, "rain\nand wind\n")
    (row,) = desk("tool", "get", "desk", "weather", "--args", OSLO, "--json").rows()
    assert (row["call_id"], row["n"], row["remaining"], row["ttl"]) == ("call_7", 3, 2, 2)


def test_a_miss_says_so(desk: Parley) -> None:
    """Exit 1, and what to do."""
    got = desk("tool", "get", "desk", "weather", "--args", OSLO)
    assert got.code == 1
    assert "parley tool ls desk" in got.err


@pytest.mark.parametrize("args", ["[1]", "{", "7", "[" * 5000])
def test_arguments_are_a_json_object(desk: Parley, args: str) -> None:
    """Anything else is refused before anything is published."""
    put = desk("tool", "put", "desk", "weather", "--args", args, "--result", "rain")
    assert put.code == 2
    assert "--args" in put.err


def test_failures_and_writes_are_told_and_not_kept(
    desk: Parley, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are entries of the log all the same; `-` reads stdin."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"booked\n")))
    assert desk("tool", "put", "desk", "book", "--result", "-", "--write").code == 0
    failed = desk("tool", "put", "desk", "weather", "--result", "", "--error", "TimeoutError")
    assert failed.code == 0
    assert desk("tool", "ls", "desk", "--json").rows() == []
    assert "nothing is kept" in desk("tool", "ls", "desk").out


def test_what_is_kept_is_listed(desk: Parley) -> None:
    """With the exchanges that are left of those it was kept for."""
    desk("tool", "put", "desk", "weather", "--args", OSLO, "--result", "rain", "--ttl", "2")
    desk("say", "desk", "And now?", "--as", "user")
    (row,) = desk("tool", "ls", "desk", "--json").rows()
    assert (row["tool"], row["remaining"], row["original"], row["bytes"]) == ("weather", 1, 2, 4)
    assert 'weather({"city":"Oslo","days":1}): 1/2 exchanges' in desk("tool", "ls", "desk").out


def test_a_trace_shows_memory_results_and_messages(desk: Parley) -> None:
    """Three views: what is held, what is kept, what the assistant receives."""
    desk("tool", "put", "desk", "weather", "--args", OSLO, "--result", "rain", "--ttl", "2")
    desk("say", "desk", "And now?", "--as", "user")
    out = desk("context", "desk", "--as", "helper", "--trace").out
    memory, cache, messages = out.split("\n\n=== ")
    assert memory.startswith("=== MEMORY STATE ===\nSession: desk | Exchanges: 1 of 1 | Summary: 0")
    assert "Compressions: 0" in memory
    assert cache.startswith("FUNCTION CACHE STATE ===\nKept results: 1 | Hits: 0")
    assert cache.endswith('- weather({"city":"Oslo","days":1}): 1/2 exchanges remaining')
    lines = messages.splitlines()
    assert lines[0] == "AGENT RECEIVES (6 messages) ==="
    assert lines[2:] == [
        "[2] USER: How warm is it?",
        "[3] ASSISTANT: 21 degrees.",
        '[4] ASSISTANT: weather({"city":"Oslo","days":1})',
        "[5] TOOL: rain",
        "[6] USER: And now?",
    ]
    (row,) = desk("context", "desk", "--as", "helper", "--trace", "--json").rows()
    assert row["memory"]["turn"] == 1
    assert row["cache"]["results"][0]["remaining"] == 1
    assert len(row["messages"]) == 6


def test_the_profile_exchange_is_a_list_of_messages(desk: Parley) -> None:
    """As JSON it is what a model's API takes; the present only."""
    ran = desk("context", "desk", "--as", "helper", "--profile", "exchange", "--json")
    messages = json.loads(ran.out)
    assert [message["role"] for message in messages] == ["system", "user", "assistant"]
    assert "[2] USER: How warm is it?" in desk("context", "desk", "--profile", "exchange").out
    assert desk("context", "desk", "--profile", "exchange", "--at", "1").code == 2
    assert "How warm is it?" in desk("context", "desk", "--profile", "brief").out


@pytest.mark.parametrize(
    ("tool", "more"),
    [("", []), ("t" * 129, []), ("weather", ["--as", "n" * 129]),
     ("weather", ["--args", '{"city": NaN}']), ("weather", ["--args", '{"city": -1e999}'])],
)  # fmt: skip
def test_what_no_entry_can_hold_is_refused(desk: Parley, tool: str, more: list[str]) -> None:
    """In one line; a NaN that was written as null would be served to who asks for null."""
    for ran in (
        desk("tool", "put", "desk", tool, "--result", "rain", *more),
        desk("tool", "get", "desk", tool, *more),
    ):
        assert ran.code == 2
        assert len(ran.err.splitlines()) == 1
    assert desk("tool", "put", "desk", "w", "--result", "", "--call-id", "c" * 129).code == 2


def test_a_context_of_messages_shows_no_other_session(desk: Parley) -> None:
    """What would be left out without a word is refused, and so are two profiles."""
    assert desk("session", "new", "quay").code == 0
    for more in (["--trace"], ["--profile", "exchange"]):
        assert desk("context", "desk", *more, "--with", "quay").code == 2
    assert desk("context", "desk", "--brief", "--profile", "full").code == 2
