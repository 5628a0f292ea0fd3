"""How full each limit is, and when it will be reached."""

from __future__ import annotations

from dataclasses import asdict

from hypothesis import given
from msgspec import convert

from parley.bus.entries import Entry, Message, ParticipantAliased
from parley.memory.fold.replay import fold_records
from parley.memory.settings.session_settings import Settings, merge_settings
from parley.memory.state.episode_state import Episode, Exchange
from parley.memory.state.exchange_state import CachedResult, Exchanges, Tools
from parley.memory.state.insight_state import Insight
from parley.memory.state.memory import Memory
from parley.memory.state.notebook_state import HistoryLine, Note, Notebooks
from parley.memory.statistics.forecast import Forecast, forecast_limits
from tests.support.logs.logs import PACKS, entries, folded, numbered, talk


def build_memory(n: int, **settings: object) -> Memory:
    """A memory that stands at entry `n` under these settings."""
    made = Memory(PACKS)
    made.n = n
    made.govern(merge_settings(Settings(), dict(settings)))
    return made


def of(memory: Memory, limit: str, whose: str = "") -> Forecast:
    (forecast,) = [row for row in forecast_limits(memory) if (row.limit, row.of) == (limit, whose)]
    return forecast


def line(n: int, text: str) -> HistoryLine:
    return HistoryLine(n=n, kind="statement", who="ana", text=text)


def test_turns_left_are_what_is_missing_over_the_growth_of_a_turn() -> None:
    """600 characters in 10 turns, 400 to go: 60 a turn, so 7 turns."""
    memory = build_memory(10, note={"policy": "append"}, limits={"history": {"cap": 1000}})
    memory.notebooks = Notebooks(history=[line(1, "x" * 300), line(5, "y" * 300)], size=600)
    forecast = of(memory, "limits.history")
    assert (forecast.size, forecast.cap, forecast.unit) == (600, 1000, "chars")
    assert (forecast.per_turn_permille, forecast.turns_left) == (60_000, 7)
    assert (forecast.warn, forecast.alert) == (750, False)


def test_what_was_let_go_of_counts_as_growth() -> None:
    """A history that dropped half of its lines grows twice as fast as it looks."""
    memory = build_memory(10, note={"policy": "append"})
    memory.notebooks = Notebooks(history=[line(9, "x" * 100)], size=100, dropped=1)
    assert of(memory, "limits.history").per_turn_permille == 20_000


def test_nothing_that_stands_still_is_ever_reached() -> None:
    """No rate, no date."""
    memory = build_memory(10, note={"policy": "append"})
    assert of(memory, "limits.history").turns_left is None


def test_a_limit_that_is_reached_has_no_turns_left_and_is_an_alert() -> None:
    """Also one of 0, which is always reached."""
    memory = build_memory(4, limits={"cached": 0, "insights": 1})
    memory.tools = Tools(evicted=3)
    memory.insights.last = 2
    row = {"ref": 2, "kind": "error", "text": "x", "key": "x", "size": 1, "cites": []}
    memory.insights.by_ref = {2: convert(row, Insight)}
    assert of(memory, "limits.cached").turns_left == 0
    assert of(memory, "limits.insights").turns_left == 0
    assert of(memory, "limits.insights").alert
    assert not of(memory, "limits.cached").alert


def test_everybody_has_a_limit_of_the_notebook() -> None:
    """One's own where one has it; the warning line keeps its share of it."""
    memory = build_memory(10, note={"policy": "rewrite", "agents": {"bo": {"limit": 100}}})
    memory.notebooks.notes = {
        "ana": Note(text="x" * 40_000),
        "bo": Note(text="y" * 50, cause=4),
    }
    memory.notebooks.history = [
        line(4, "digested"),
        line(6, "z" * 30),
        HistoryLine(n=7, kind="reasoning", who="cy", text="of nobody else's notebook"),
        HistoryLine(n=8, kind="results", who="cy", text="for ana alone", to=("ana",)),
    ]
    ana, bo = of(memory, "limits.note", "ana"), of(memory, "limits.note", "bo")
    assert (ana.cap, ana.warn, ana.alert) == (50_000, 40_000, True)
    assert ana.size == 40_000 + len("digested") + 30 + len("for ana alone")
    assert (bo.cap, bo.warn, bo.alert) == (100, 80, True)
    assert (bo.per_turn_permille, bo.turns_left) == (5000, 4)


def test_the_running_summary_grows_by_what_exchanges_are_long() -> None:
    """However often it was compressed: 300 bytes of exchange, one every 4 turns."""
    memory = build_memory(40, exchange={"users": ["user"]})
    asked = Exchange(question="q" * 100, answer="a" * 200, answer_n=2)
    memory.episodes.last = 1
    memory.episodes.by_ref = {
        1: Episode(
            ref=1, kind="exchange", title="t", participant="user", opened=1,
            status="completed", talk=asked,
        )
    }  # fmt: skip
    memory.exchanges = Exchanges(turn=10, window=[1], running="r" * 1000, compressions=2)
    running = of(memory, "limits.running")
    assert (running.size, running.unit) == (1000, "bytes")
    assert running.per_turn_permille == 75_000
    assert running.turns_left == 40
    assert of(memory, "limits.exchanges").size == 1


def test_goals_and_the_archive_are_forecast_in_tokens() -> None:
    """Open and closed ones count for the session, closed ones for the archive."""
    memory = build_memory(20)
    memory.episodes.last = 3
    memory.episodes.evicted = 1
    memory.episodes.open, memory.episodes.archived = [3], [2]
    memory.episodes.size, memory.episodes.archive_size = 1200, 500
    memory.episodes.by_ref = {
        2: Episode(
            ref=2, kind="goal", title="a", participant="x", opened=2, status="completed", size=500
        ),
        3: Episode(ref=3, kind="goal", title="b", participant="x", opened=9, size=700),
    }
    assert of(memory, "limits.session").size == 1200
    assert (of(memory, "limits.archive").size, of(memory, "limits.archive.items").size) == (500, 1)
    assert of(memory, "limits.archive").per_turn_permille == 50_000


def test_a_session_without_layers_forecasts_its_talk_alone() -> None:
    """What is not in use is not reported."""
    memory = fold_records(Memory(PACKS), talk(("ana", "Morning."), ("bo", "Morning.")))
    limits = [forecast.limit for forecast in forecast_limits(memory)]
    assert limits == ["summary.interval", "caps.proposals", "caps.decisions"]
    assert of(memory, "summary.interval").turns_left == 10


def test_short_term_is_forecast_where_it_has_a_limit() -> None:
    """Tokens of the open stretch, told from its warning line on."""
    memory = build_memory(10, limits={"short_term": {"cap": 4000}})
    memory.open_first, memory.open_tokens = 1, 3000
    forecast = of(memory, "limits.short_term")
    assert (forecast.warn, forecast.alert, forecast.turns_left) == (3000, True, 4)


@given(entries())
def test_forecasts_are_whole_numbers_of_any_session(log: list[Entry]) -> None:
    """No floats, no negative numbers, whatever was said."""
    memory = fold_records(Memory(PACKS), numbered(log))
    for forecast in forecast_limits(memory):
        for value in asdict(forecast).values():
            assert value is None or isinstance(value, int | str)
            assert not isinstance(value, int) or value >= 0


def test_results_that_are_kept_are_forecast() -> None:
    """Those let go of show how fast they come."""
    memory = build_memory(8)
    kept = CachedResult(
        key="k", tool="t", arguments="{}", n=1, participant="ana", call_id="c", value="v", bytes=1,
        ttl=1, stored=0, expires=2, limit=9,
    )  # fmt: skip
    memory.tools = Tools(cached={"k": kept}, evicted=3)
    forecast = of(memory, "limits.cached")
    assert (forecast.size, forecast.per_turn_permille, forecast.turns_left) == (1, 500, 198)


def test_a_notebook_grows_by_what_its_owner_is_told() -> None:
    """Not by what no route tells; by one's own words under another name as well."""
    lines = [("ana", "Morning all."), ("bo", "Good morning.")]
    memory, _ = folded(talk(*lines, note={"policy": "append"}, routes={"own": "off"}))
    sizes = {
        forecast.of: forecast.size
        for forecast in forecast_limits(memory)
        if forecast.limit == "limits.note"
    }
    assert sizes == {"ana": len("Good morning."), "bo": len("Morning all.")}
    thought = Message(participant="ana", content="Hm.", form="reasoning")
    alias = ParticipantAliased(alias="ana", participant="Ana")
    memory, _ = folded(talk(thought, alias, note={"policy": "append"}))
    sizes = {
        forecast.of: forecast.size
        for forecast in forecast_limits(memory)
        if forecast.limit == "limits.note"
    }
    assert sizes == {"Ana": len("Hm.")}


def test_what_goes_beyond_a_window_is_no_alert() -> None:
    """Exchanges that leave it are told in the running summary, which is compressed by itself."""
    memory = Memory(PACKS)
    memory.exchanges.turn = 12
    memory.exchanges.running = "x" * 3900
    forecasts = {forecast.limit: forecast for forecast in forecast_limits(memory)}
    assert not forecasts["limits.running"].alert
    assert not forecasts["limits.exchanges"].alert
