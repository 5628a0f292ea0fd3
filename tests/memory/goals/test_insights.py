"""What work taught, when its details are gone."""

from __future__ import annotations

from parley.bus.entries import Entry
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.fold.replay import fold_records
from parley.memory.goals import insights
from tests.support.logs.logs import PACKS, folded, talk
from tests.support.logs.works import close, goal, run, step, task


def test_closing_a_task_promotes_what_it_taught() -> None:
    """Discovered facts, replans, and how tools fared, each citing the entries that show it."""
    memory, facts = folded(
        talk(
            goal("Compliance"),
            task("Count doors on floor 2"),
            run(0, tool="query"),
            run(9, tool="query"),
            run(9, tool="query"),
            step("Two doors are hidden.", discovered={"floors": "3"}),
            step("Ask the other model first.", form="replanning"),
            step("Nothing to learn here."),
            close("E2"),
        )
    )
    by_kind = {insight.kind: insight for insight in memory.insights.by_ref.values()}
    assert {kind: insight.text for kind, insight in by_kind.items()} == {
        "discovered": "floors: 3",
        "replanned": "Ask the other model first.",
        "error": "query fails with ValidationError",
        "success": "query works for count door",
    }
    assert [cite.n for cite in by_kind["error"].cites] == [4, 5]
    assert by_kind["error"].count == 2
    assert [cite.n for cite in by_kind["discovered"].cites] == [6]
    assert [insight.kind for insight in insights.list_insights(memory)] == [
        "discovered",
        "error",
        "replanned",
        "success",
    ]
    promotions = [fact for fact in facts if fact.kind == "insight.found"]
    assert [(fact.ref, fact.data["episode"]) for fact in promotions] == [
        (f"I{number}", "E2") for number in range(1, 5)
    ]


def test_a_tasks_patterns_are_promoted_once_not_again_with_its_goal() -> None:
    """Counts roll up to the goal, lessons do not."""
    memory, _ = folded(talk(goal("Doors"), task("Count doors"), run(0), close("E2"), close("E1")))
    assert [insight.count for insight in memory.insights.by_ref.values()] == [1]


def test_the_same_words_are_counted_not_kept_twice() -> None:
    """Whatever their case or spacing; cites are those of the first and the newest entry."""
    log: list[Entry] = [
        goal("Doors"),
        step(discovered={"Floors": "three"}),
        step(discovered={"floors": "Three"}),
        step(discovered={"floors": "  three"}),
        close(),
    ]
    memory, _ = folded(talk(*log))
    (insight,) = memory.insights.by_ref.values()
    assert (insight.count, [cite.n for cite in insight.cites]) == (3, [2, 4])
    memory, _ = folded(talk(*log, episodes={"deduplicate": False}))
    assert len(memory.insights.by_ref) == 3


def test_the_lightest_goes_first() -> None:
    """A thing seen often outweighs one of its kind seen once; a fact outweighs a success."""
    log: list[Entry] = [goal("Doors")]
    log += [step(discovered={"floors": "3"})] * 3
    log += [step(discovered={f"room {k}": "blue"}) for k in range(4)]
    memory, _ = folded(talk(*log, run(0), close(), limits={"insights": 3}))
    kept = insights.list_insights(memory)
    assert [insight.text for insight in kept] == ["floors: 3", "room 3: blue", "room 2: blue"]
    assert memory.insights.dropped == 3


def test_no_insight_is_kept_where_none_may_be() -> None:
    """A limit of 0 is a limit."""
    memory, facts = folded(
        talk(goal("Doors"), step(discovered={"a": "b"}), close(), limits={"insights": 0})
    )
    assert not memory.insights.by_ref
    assert not [fact for fact in facts if fact.kind == "insight.found"]


def test_a_restored_memory_numbers_insights_alike() -> None:
    """In the order in which tools were first used, which is not that of their names."""
    log = talk(goal("Doors"), run(0, tool="query"), run(9, tool="lookup"), close())
    live, _ = folded(log[:-1])
    restored = load(dump(live), PACKS, live.seq)
    assert dump(fold_records(restored, log[-1:])) == dump(fold_records(live, log[-1:]))
    assert next(iter(live.insights.by_ref.values())).text == "query works for door"
