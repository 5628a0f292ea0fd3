"""`parley stats`: layers, forecasts, alerts, and what the summariser did."""

from __future__ import annotations

import asyncio

import pytest

from parley.bus import Bus
from parley.bus.work.workforce import WorkerInfo
from parley.memory.text.text_sizes import count_tokens
from parley.server.queries.session_stats import summary_work
from parley.server.render.stats_text import layer_lines
from tests.support.doors.calls import Parley


def worker(**stats: int) -> WorkerInfo:
    return WorkerInfo("w", 1, "here", ("effects",), 0, 0, dict(stats))


@pytest.fixture
def at(redis_url: str, monkeypatch: pytest.MonkeyPatch, parley: Parley) -> Parley:
    """`parley` on an empty real server with an open session `s`."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    assert parley("session", "new", "s", "--summary-interval", "3").code == 0
    return parley


def test_the_summariser_is_the_sum_of_its_workers() -> None:
    """Calls, failures, durations and remembered answers; older workers tell less."""
    row = summary_work([
        worker(model_calls=3, model_failures=1, model_ms=900, memo_hits=1, models=2),
        worker(model_calls=1, model_ms=300, extracts=5),
        worker(folded=7),
    ])  # fmt: skip
    assert row == {
        "extracts": 5, "models": 2, "fallbacks": 0, "model_calls": 4, "model_failures": 1,
        "model_ms": 1200, "memo_hits": 1, "ms_per_call": 300, "success_permille": 750,
        "memo_permille": 200,
    }  # fmt: skip


def test_no_rate_before_the_first_call() -> None:
    """Null, not zero and not one."""
    row = summary_work([])
    assert row["success_permille"] is row["ms_per_call"] is row["memo_permille"] is None


def test_stats_tell_layers_forecasts_and_alerts(at: Parley) -> None:
    """By number and in words; tokens of the open stretch are counted where memory does not."""
    at("say", "s", "The north basin froze twice.", "--as", "Ana")
    at("say", "s", "What does the south basin cost?", "--as", "Bo")
    (row,) = at("stats", "s", "--json").rows()
    spoken = count_tokens("The north basin froze twice.") + count_tokens(
        "What does the south basin cost?"
    )
    assert row["conversation"] == {
        "buffer_messages": 2, "has_summary": False, "summary_tokens": 0,
        "estimated_tokens": spoken,
    }  # fmt: skip
    assert row["session"]["current_goal"] is None
    (interval,) = [
        forecast for forecast in row["forecasts"] if forecast["limit"] == "summary.interval"
    ]
    assert (interval["size"], interval["cap"], interval["turns_left"]) == (2, 3, 1)
    assert row["summariser"]["model_calls"] == 0
    out = at("stats", "s").out
    assert "summary.interval: 2 of 3 items (66.6 %), in 1 turn\n" in out
    assert f"conversation: 2 messages without a summary, about {spoken} tokens" in out
    assert "notebooks" not in out


def test_the_words_have_the_numbers_of_the_json(at: Parley) -> None:
    """`proposals` are the open ones in both; what was settled is told by its status."""
    for number, line in enumerate(("[PROPOSAL] We move the boats.", "+1 to P1", "+1 to P1")):
        at("say", "s", line, "--as", f"agent{number}")
    at("say", "s", "[PROPOSAL] The key hangs at the office.", "--as", "Eva")
    (row,) = at("stats", "s", "--json").rows()
    assert (row["decisions"], row["proposals"]) == (1, 1)
    assert row["proposals_by_status"] == {"accepted": 1, "active": 1}
    out = at("stats", "s").out
    assert "\n1 decision: 1 ratified\n1 open proposal; 1 accepted\n" in out


def test_an_assistant_session_tells_what_its_next_answer_is_given(at: Parley) -> None:
    """The tokens of its exchanges, of the running summary and of the results at hand."""
    assert at("session", "new", "desk", "--preset", "assistant").code == 0
    before = at("stats", "desk", "--json").rows()[0]["exchanges"]["estimated_tokens"]
    at("say", "desk", "How warm is it in Oslo?", "--as", "user")
    at("say", "desk", "It has 21 degrees in Oslo.", "--as", "helper")
    at("tool", "put", "desk", "weather", "--args", '{"city": "Oslo"}', "--result", "21 " * 90)
    (row,) = at("stats", "desk", "--json").rows()
    size = row["exchanges"]["estimated_tokens"]
    assert before == 0
    assert size > 90
    assert row["conversation"]["estimated_tokens"] > 0


def test_a_limit_over_its_warning_line_is_an_alert(at: Parley) -> None:
    """In words, too."""
    at("session", "set", "s", "caps.proposals=1", "caps.threshold=1000")
    at("say", "s", "[PROPOSAL] We move the boats.", "--as", "Ana")
    (row,) = at("stats", "s", "--json").rows()
    assert row["alerts"] == ["caps.proposals"]
    assert "alert: caps.proposals is over its warning line" in at("stats", "s").out


def test_what_workers_said_is_in_the_statistics(at: Parley, redis_url: str) -> None:
    """The heartbeats of those that run."""

    async def beat() -> None:
        async with await Bus.connect(redis_url) as bus:
            await bus.beat("w1", {"lanes": ["effects"], "model_calls": 2, "model_ms": 500})

    asyncio.run(beat())
    (row,) = at("stats", "s", "--json").rows()
    assert row["summariser"]["ms_per_call"] == 250
    assert "summariser: 2 model calls, 100 % answered, 250 ms each" in at("stats", "s").out


def test_layers_in_use_are_told_in_a_line_each() -> None:
    """Those not in use have none."""
    row = {
        "conversation": {"buffer_messages": 1, "estimated_tokens": None},
        "compression_permille": 125,
        "session": {
            "current_goal": "E2 Rebuild", "tool_executions": 5, "subtasks": 3,
            "completed_goals": 1, "archived_goals": 1, "evicted": 0, "estimated_tokens": 110,
        },
        "execution": {
            "current_task": None, "execution_steps": 2, "discovered_context_entries": 1,
            "insights": 4,
        },
        "notebooks": {"policy": "append", "notes": {"a": {}}, "lines": 2, "characters": 90,
                      "dropped": 1},
        "exchanges": {"turn": 3, "window": 2, "running_bytes": 40, "compressions": 1,
                      "estimated_tokens": 77},
        "cache": {"kept": 1, "hits": 3, "misses": 1, "hit_permille": 750, "evicted": 0},
        "floor": {"policy": "bid", "seats": 3, "turns": 9, "hops": 4, "evaluations": 1,
                  "holder": "ana\nbo", "paused": ""},
        "spend": {"tokens": 900, "calls": 7, "failed": 1, "refused": 2, "held_tokens": 50,
                  "micros": 1500, "purposes": {"draft": 700, "evaluate": 200},
                  "accounts": {"ana": {"tokens": 900, "calls": 7, "micros": 1500}}},
        "votes": {"carried": 1, "open": 1},
        "forecasts": [{"limit": "limits.note", "of": "ana", "size": 9, "cap": 10,
                       "unit": "chars", "turns_left": 0}],
        "alerts": ["limits.note ana"],
    }  # fmt: skip
    assert list(layer_lines(row)) == [
        "conversation: 1 message without a summary",
        "compression: summaries have 12.5 % of the size of the talk",
        "session: goal E2 Rebuild, 3 tasks, 5 tool runs, 1 goal completed, 110 tokens",
        "execution: task none, 2 steps, 1 discovered, 4 insights",
        "notebooks (append): 1 note, 2 lines of 90 characters, 1 dropped",
        "exchanges: 3 closed, 2 kept, 40 bytes of summary, 1 compression; about 77 tokens to "
        "answer from",
        "tool cache: 1 kept, 3 hits (75 %), 1 miss, 0 evicted",
        "floor (bid): 3 seats, 9 turns, 4 since a person spoke, 1 evaluation, held by ana bo",
        "spend: 900 tokens, cost 0.0015, 50 held in 7 calls, 1 failed, 2 refused",
        "  for draft 700, evaluate 200",
        "  ana: 900 tokens, cost 0.0015 in 7 calls",
        "votes: 1 carried, 1 open",
        "limits.note of ana: 9 of 10 chars (90 %), reached",
        "alert: limits.note ana is over its warning line",
    ]
