"""The numbers of each layer, as one asks for them."""

from __future__ import annotations

from msgspec import convert

from parley.bus.entries import SpendReserved, SpendSettled
from parley.memory.context.chat_messages import prepare_messages
from parley.memory.fold.replay import fold_records
from parley.memory.settings.session_settings import Settings, merge_settings
from parley.memory.state.episode_state import Episode, TaskStep, Work, WorkTally
from parley.memory.state.exchange_state import Exchanges, Tools
from parley.memory.state.insight_state import Insight
from parley.memory.state.memory import Memory
from parley.memory.state.notebook_state import HistoryLine, Note, Notebooks
from parley.memory.state.vote_state import Ballot, Vote
from parley.memory.statistics.statistics import count_memory
from tests.support.logs.logs import PACKS, talk
from tests.support.logs.tables import Table, agent

INSIGHT: dict[str, object] = {"kind": "error", "text": "x", "key": "x", "size": 1, "cites": []}


def test_the_counts_of_a_deliberation_stay() -> None:
    """Summaries, decisions, active proposals, participants, messages."""
    row = count_memory(
        fold_records(Memory(PACKS), talk(("ana", "[PROPOSAL] Tea at four."), ("bo", "+1")))
    )
    assert row["messages"] == row["participants"] == 2
    assert (row["summaries"], row["decisions"], row["proposals"]) == (0, 0, 1)


def test_the_three_layers_are_counted() -> None:
    """Conversation, session, execution, by the names they are asked for."""
    memory = Memory(PACKS)
    memory.govern(merge_settings(Settings(), {"limits": {"short_term": {"cap": 4000}}}))
    memory.open_count, memory.open_tokens = 3, 120
    row = {"n": 5, "who": "ana", "form": "reasoning", "ok": True, "text": "look", "size": 3}
    step = convert({**row, "discovered": [("port", "8080")]}, TaskStep)
    memory.episodes.last, memory.episodes.size = 3, 110
    memory.episodes.open = [2, 3]
    memory.episodes.by_ref = {
        1: Episode(
            ref=1, kind="goal", title="old", participant="a", opened=1, status="completed", size=40
        ),
        2: Episode(
            ref=2, kind="goal", title="new", participant="a", opened=2, size=60,
            work=Work(tally=WorkTally(runs=4, ok=3, tasks={"completed": 2})),
        ),
        3: Episode(
            ref=3, kind="task", title="dig", participant="a", opened=3, parent=2, size=10,
            work=Work(tally=WorkTally(runs=1, ok=1), steps=[step]),
        ),
    }  # fmt: skip
    counts = count_memory(memory)
    assert counts["conversation"] == {
        "buffer_messages": 3, "has_summary": False, "summary_tokens": 0, "estimated_tokens": 120,
    }  # fmt: skip
    assert counts["session"] == {
        "current_goal": "E2 new", "tool_executions": 5, "subtasks": 3, "completed_goals": 1,
        "archived_goals": 1, "evicted": 0, "refused": 0, "estimated_tokens": 110,
    }  # fmt: skip
    assert counts["execution"] == {
        "current_task": "E3 dig", "execution_steps": 1, "discovered_context_entries": 1,
        "insights": 0, "lessons": 0,
    }  # fmt: skip


def test_notebooks_exchanges_and_the_cache_are_counted() -> None:
    """Sizes, compressions, and a hit rate that is null where nothing was asked."""
    memory = Memory(PACKS)
    assert count_memory(memory)["cache"]["hit_permille"] is None
    memory.notebooks = Notebooks(
        history=[HistoryLine(n=1, kind="vote", who="a", text="abc")], size=3, dropped=2,
        notes={"a": Note(text="mine", cause=1)},
    )  # fmt: skip
    memory.exchanges = Exchanges(turn=4, running="é" * 10, compressions=1)
    memory.tools = Tools(hits=3, misses=1)
    row = count_memory(memory)
    assert row["notebooks"]["notes"] == {"a": {"characters": 4, "revision": 1}}
    assert (row["notebooks"]["lines"], row["notebooks"]["dropped"]) == (1, 2)
    told = row["exchanges"].pop("estimated_tokens")
    assert told == prepare_messages(memory).size > 0
    assert row["exchanges"] == {"turn": 4, "window": 0, "running_bytes": 20, "compressions": 1}
    assert row["cache"]["hit_permille"] == 750


def test_the_table_is_counted() -> None:
    """Seats and turns, what was spent by whom and on what, votes by how they stand."""
    table = Table(agent("ana"), agent("bo"))
    table.turn("ana", "Good morning.")
    table.bid("bo")
    table.grant("bo")
    table.put(
        SpendReserved(participant="ana", call="k1", purpose="draft", tokens=90),
        SpendReserved(participant="bo", call="k2", purpose="draft", tokens=70),
        SpendSettled(participant="ana", call="k1", input_tokens=40, micros=3),
    )
    table.vote(1, status="carried")
    row = count_memory(table.memory)
    tokens = table.memory.floor.seats["ana"].spoken_tokens
    assert row["floor"] == {
        "policy": "bid", "seats": 2, "agents": 2, "epoch": 3, "holder": "bo", "paused": None,
        "turns": 1, "hops": 1, "evaluations": 1,
        "speakers": {"ana": {"turns": 1, "tokens": tokens}},
    }  # fmt: skip
    assert row["spend"]["accounts"] == {
        "ana": {"tokens": 40, "micros": 3, "calls": 1, "failed": 0, "held_tokens": 0},
        "bo": {"tokens": 0, "micros": 0, "calls": 0, "failed": 0, "held_tokens": 70},
    }
    assert (row["spend"]["tokens"], row["spend"]["held_tokens"]) == (40, 70)
    assert (row["spend"]["purposes"], row["votes"]) == ({"draft": 40}, {"carried": 1})


def test_limits_over_their_warning_line_are_alerts() -> None:
    """At 75 % where the settings name no other."""
    memory = Memory(PACKS)
    memory.govern(merge_settings(Settings(), {"limits": {"insights": 4}}))
    memory.insights.last = 3
    for ref in (1, 2, 3):
        memory.insights.by_ref[ref] = convert({**INSIGHT, "ref": ref}, Insight)
        assert count_memory(memory)["alerts"] == (["limits.insights"] if ref == 3 else [])


def test_no_rate_where_nothing_was_summarised() -> None:
    """Compression is a share of something."""
    assert count_memory(Memory(PACKS))["compression_permille"] is None


def test_sizes_do_not_tell_what_is_secret() -> None:
    """Neither the option that a secret ballot chose, nor how much somebody noted."""

    def counted(choice: str, note: str) -> object:
        memory = Memory(PACKS)
        cast = {"ana": Ballot(n=2, choice=(choice,))}
        memory.votes.by_ref[1] = Vote(ref=1, n=1, by="bo", question="?", secret=True, ballots=cast)
        memory.notebooks.notes["bo"] = Note(text=note)
        return count_memory(memory)["sizes"]

    assert counted("red", "a") == counted("evergreen", "a word more")
