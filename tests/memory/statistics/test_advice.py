"""Limits that follow use: each piece of advice has its reason in what memory measured."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from parley.memory.settings.session_settings import Settings, merge_settings
from parley.memory.state.episode_state import Episode, Exchange
from parley.memory.state.exchange_state import CachedResult, Exchanges, Tools
from parley.memory.state.memory import Memory
from parley.memory.state.notebook_state import HistoryLine, Note, Notebooks
from parley.memory.state.summary_state import Summary, SummaryRange
from parley.memory.statistics.advice import Advice, advise_limits
from tests.support.logs.logs import PACKS


def build_memory(**settings: object) -> Memory:
    made = Memory(PACKS)
    made.govern(merge_settings(Settings(), dict(settings)))
    return made


def only(memory: Memory) -> Advice:
    (advice,) = advise_limits(memory)
    return advice


def cached(k: int, **fields: Any) -> CachedResult:
    """Result `k` of a tool, 100 bytes long."""
    usual: dict[str, Any] = {"bytes": 100, "expires": 3, "limit": 12, "hits": 0}
    return CachedResult(
        key=str(k), tool="t", arguments="{}", n=k, participant="ana", call_id=str(k), value="v",
        ttl=3, stored=0,
        **{**usual, **fields},
    )  # fmt: skip


def test_nothing_measured_is_nothing_advised() -> None:
    """A session that has just been opened fits its limits."""
    assert advise_limits(build_memory()) == []


def test_statements_cut_often_call_for_a_longer_limit() -> None:
    """A quarter of them, of four at least."""
    memory = build_memory()
    lines = [HistoryLine(n=k, kind="statement", who="a", text="fine") for k in range(3)]
    memory.notebooks = Notebooks(history=lines)
    assert advise_limits(memory) == []
    memory.notebooks.history.append(
        HistoryLine(n=9, kind="statement", who="a", text="x" * 299 + "…")
    )
    assert only(memory) == Advice(
        "limits.statement", 300, 600, "1 of 4 lines of the history were cut"
    )


def test_a_history_that_drops_lines_should_be_longer() -> None:
    """By as much as was dropped, at most four times."""
    memory = build_memory()
    lines = [HistoryLine(n=k, kind="statement", who="a", text="fine") for k in range(4)]
    memory.notebooks = Notebooks(history=lines, dropped=2)
    assert (only(memory).key, only(memory).suggested) == ("limits.history.cap", 150_000)
    memory.notebooks.dropped = 1000
    assert only(memory).suggested == 400_000


def test_a_revision_that_never_fitted_calls_for_room() -> None:
    """The refused participant is named."""
    memory = build_memory()
    memory.notebooks.notes = {"ana": Note(cause=3, answered=7), "bo": Note(cause=7, answered=7)}
    assert only(memory) == Advice("limits.note.cap", 50_000, 63_000, "no revision of ana fitted")


def test_a_limit_of_ones_own_calls_for_no_other_of_the_session() -> None:
    """More room for everybody would give that participant none."""
    memory = build_memory(note={"policy": "append", "agents": {"ana": {"limit": 9}}})
    memory.notebooks.notes = {"ana": Note(cause=3, answered=7)}
    assert advise_limits(memory) == []


def test_long_answers_and_results_call_for_a_longer_answer() -> None:
    """So that nine of ten fit."""
    memory = build_memory()
    memory.tools = Tools(cached={str(k): cached(k, bytes=1000 + k) for k in range(3)})
    memory.episodes.by_ref = {
        1: Episode(
            ref=1, kind="exchange", title="t", participant="a", opened=1, status="completed",
            talk=Exchange(answer="x", answer_n=2, answer_bytes=100),
        )
    }  # fmt: skip
    memory.exchanges = Exchanges(turn=1, window=[1])
    advice = only(memory)
    assert (advice.key, advice.now, advice.suggested) == ("limits.answer.cap", 750, 1100)
    assert advice.because == "3 of 4 answers and tool results were longer"


def test_results_still_wanted_at_their_greatest_age_call_for_a_greater_one() -> None:
    """One that was hit, and that no further hit would keep alive."""
    memory = build_memory()
    memory.tools = Tools(cached={"1": cached(1, hits=2, expires=12)})
    assert only(memory).key == "cache.max_age"
    assert only(memory).suggested == 24


def test_results_let_go_of_early_call_for_more_room() -> None:
    """By as many as were, at most twice as many."""
    memory = build_memory()
    memory.tools = Tools(evicted=30)
    assert (only(memory).key, only(memory).suggested) == ("limits.cached", 130)


def test_an_archive_that_lets_go_should_be_larger() -> None:
    """In items, in tokens, or both: in what it is full of."""
    memory = build_memory()
    memory.episodes.evicted = 3
    memory.episodes.archived = list(range(1, 11))
    assert (only(memory).key, only(memory).suggested) == ("limits.archive.items", 13)
    memory.episodes.archived, memory.episodes.archive_size = [1, 2], 5800
    assert (only(memory).key, only(memory).suggested) == ("limits.archive.cap", 12_000)


def test_summaries_nearly_as_long_as_the_talk_come_too_early() -> None:
    """And those of a fiftieth too late."""
    memory = build_memory()
    for first, size in ((1, 80), (13, 60)):
        memory.ranges[0, first] = SummaryRange(0, first, first + 11, None)
        memory.summaries[0, first] = Summary(
            0, first, first + 11, "extract", "text", size=size, was=100, at=None
        )
    assert (only(memory).key, only(memory).suggested) == ("summary.interval", 24)
    for summary in memory.summaries.values():
        summary.was = 10_000
    assert (only(memory).key, only(memory).suggested) == ("summary.interval", 6)


counts = st.integers(0, 10**12)


@given(counts, counts, counts, counts, st.integers(0, 5), st.integers(0, 5))
def test_whatever_is_advised_is_a_setting_that_can_be_set(
    dropped: int, evicted: int, refused: int, insights: int, items: int, cap: int
) -> None:
    """Every key exists, every value is in range, and the advice is one to change something."""
    memory = build_memory(
        limits={"archive": {"items": items, "cap": cap}, "cached": 0, "insights": 0}
    )
    memory.notebooks = Notebooks(
        history=[HistoryLine(n=1, kind="statement", who="a", text="x")], dropped=dropped
    )
    memory.episodes.evicted = memory.tools.evicted = evicted
    memory.episodes.refused = refused
    memory.insights.dropped = insights
    for advice in advise_limits(memory):
        assert advice.suggested > advice.now
        tree: dict[str, Any] = {}
        place = tree
        *groups, leaf = advice.key.split(".")
        for group in groups:
            place = place.setdefault(group, {})
        place[leaf] = advice.suggested
        merge_settings(memory.settings, tree)
