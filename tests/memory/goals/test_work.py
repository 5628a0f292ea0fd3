"""Goals and tasks: what counts where, what closing leaves."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import Entry
from parley.memory.goals import eviction, tallies
from parley.memory.state.episode_state import Episode, Work, WorkTally
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from tests.support.logs.limits import measured
from tests.support.logs.logs import folded, talk
from tests.support.logs.works import close, goal, run, step, task


def closed(facts: list[Fact]) -> list[dict[str, Any]]:
    return [fact.data for fact in facts if fact.kind == "episode.closed"]


def work_of(memory: Memory, ref: int) -> Work:
    work = memory.episodes.by_ref[ref].work
    assert work is not None
    return work


def test_three_goals_of_50_75_and_30_operations() -> None:
    """The first two are archived, the third is active; caps hold; what matters is kept."""
    log: list[Entry] = []
    for title, count in (("Doors", 50), ("Fire compliance", 75), ("Windows", 30)):
        log += [goal(title), *(run(number) for number in range(count))]
    memory, facts = folded(talk(*log))
    first, second, third = (memory.episodes.by_ref[ref] for ref in (1, 2, 3))
    assert [episode.status for episode in (first, second, third)] == [
        "superseded",
        "superseded",
        "open",
    ]
    assert memory.episodes.archived == [1, 2]
    assert measured(memory) <= 12_000
    for ref, runs, bad in ((1, 50, 5), (2, 75, 7)):
        tally = work_of(memory, ref).tally
        assert (tally.runs, tally.runs - tally.ok) == (runs, bad)
        assert sum(tally.tools.values()) == runs
        assert sum(tally.errors.values()) == bad
        assert tally.first_at == "2026-01-05T09:00:00Z"
        assert tally.last_at == f"2026-01-05T09:{(runs - 1) // 60:02}:{(runs - 1) % 60:02}Z"
        assert not work_of(memory, ref).runs
    assert tallies.success_rate_permille(work_of(memory, 1).tally) == 900
    assert len(work_of(memory, 3).runs) == 20
    assert work_of(memory, 3).tally.runs == 30
    assert [data["tally"]["success_rate_permille"] for data in closed(facts)] == [900, 906]


def test_a_rate_of_nothing_is_unknown() -> None:
    """No runs, no success rate: neither 0 nor 1."""
    assert tallies.success_rate_permille(WorkTally()) is None
    _, facts = folded(talk(goal("Doors"), close()))
    assert closed(facts)[0]["tally"]["success_rate_permille"] is None


def test_a_tasks_runs_count_in_its_goal_too() -> None:
    """Work rolls up, however deep; the goal keeps the details."""
    memory, _ = folded(
        talk(goal("Doors"), task("Floor one"), task("East wing", parent="E2"), run(1), run(9))
    )
    assert [work_of(memory, ref).tally.runs for ref in (1, 2, 3)] == [2, 2, 2]
    assert [len(work_of(memory, ref).runs) for ref in (1, 2, 3)] == [2, 0, 0]


def test_work_belongs_to_what_it_names_else_to_ones_newest_else_to_anyones() -> None:
    """And to nothing where the one named is closed, or nothing is open."""
    memory, _ = folded(
        talk(
            run(0),
            goal("Doors", "ana"),
            goal("Windows", "bo"),
            run(1, "ana"),
            run(2, "bo"),
            run(3, "cy"),
            run(4, "cy", episode="E1"),
            run(5, "cy", episode=2),
            close("E1"),
            run(6, "cy", episode="E1"),
        )
    )
    assert work_of(memory, 1).tally.runs == 3
    assert work_of(memory, 2).tally.runs == 2


def test_a_new_name_of_its_owner_still_finds_the_goal() -> None:
    """Work after an alias counts in the goal that was opened under the other name."""
    from parley.bus.entries import ParticipantAliased

    memory, _ = folded(
        talk(
            goal("Doors", "bo"),
            goal("Windows", "ana"),
            ParticipantAliased(alias="bo", participant="robert"),
            run(1, "bo"),
            run(2, "robert"),
        )
    )
    assert work_of(memory, 1).tally.runs == 2


def test_work_does_not_fall_to_a_task_that_still_waits() -> None:
    """Tasks are often opened ahead, in order; work belongs to one that can be worked on."""
    ahead: list[Entry] = [
        goal("Doors"),
        task("Load"),
        task("Count", after=("E2",)),
        run(0),
        step("Hm."),
    ]
    memory, _ = folded(talk(*ahead))
    assert [work_of(memory, ref).tally.runs for ref in (1, 2, 3)] == [1, 1, 0]
    assert [len(work_of(memory, ref).steps) for ref in (2, 3)] == [1, 0]
    memory, _ = folded(talk(*ahead, close("E2"), run(1)))
    assert work_of(memory, 3).tally.runs == 1
    memory, _ = folded(talk(*ahead, run(1, episode="E3")))
    assert work_of(memory, 3).tally.runs == 1


def test_the_newest_runs_are_kept_in_detail_each_on_a_clipped_line() -> None:
    """Twenty, with arguments and result, or the error."""
    memory, _ = folded(talk(goal("Doors"), *(run(k, content="z" * 999) for k in range(30))))
    runs = work_of(memory, 1).runs
    assert [tool_run.n for tool_run in runs] == list(range(12, 32))
    assert all(len(tool_run.text) <= 300 for tool_run in runs)
    assert runs[-1].text.startswith("floor=1, kind=door, tolerance=0.5 → ValidationError: zzz")


def test_odd_arguments_are_told_in_a_few_characters() -> None:
    """Trees, large numbers and long names cost what any other argument does."""
    odd = {"tree": {"a": [1]}, "list": [1], "big": 2**63 - 1, "n" * 500: "v" * 500, "none": None}
    memory, _ = folded(talk(goal("Doors"), run(1, arguments=odd)))
    (tool_run,) = work_of(memory, 1).runs
    assert "list=[…], " in tool_run.text
    assert len(tool_run.text) <= 300


def test_names_beyond_fifty_are_one() -> None:
    """However many tools there are, a tally stays small and still adds up."""
    memory, _ = folded(talk(goal("Doors"), *(run(1, tool=f"tool {k}") for k in range(80))))
    tools = work_of(memory, 1).tally.tools
    assert len(tools) == 51
    assert (tools["other"], sum(tools.values())) == (30, 80)


def test_steps_are_capped_and_dropped_on_close_after_what_they_taught_is_kept() -> None:
    """A hundred of a task; the counts say how many there were."""
    log = [step(f"Step {k}", discovered={f"fact {k}": "yes"}) for k in range(120)]
    memory, facts = folded(talk(goal("Doors"), task("Floor one"), *log))
    assert [task_step.n for task_step in work_of(memory, 2).steps] == list(range(23, 123))
    assert len(memory.insights.by_ref) == 20
    memory, facts = folded(talk(goal("Doors"), task("Floor one"), *log, close("E2")))
    assert 2 not in memory.episodes.by_ref
    tally = next(data["tally"] for data in closed(facts))
    assert (tally["steps"], tally["steps_ok"]) == (120, 120)
    assert 45 <= len(memory.insights.by_ref) <= 50
    assert memory.insights.dropped == 120 - len(memory.insights.by_ref)


def test_closed_tasks_count_by_status_and_theme_and_only_failed_ones_stay() -> None:
    """Five of them, the newest; until their goal closes."""
    log: list[Entry] = [goal("Compliance")]
    for number in range(7):
        log += [task(f"Count doors on floor {number}"), close(status="failed", result="no plan")]
        log += [task(f"Check the exits of floor {number}"), close()]
    memory, _ = folded(talk(*log))
    work = work_of(memory, 1)
    assert work.tally.tasks == {"failed": 7, "completed": 7}
    assert work.tally.themes == {"count door": 7, "check exit": 7}
    assert [memory.episodes.by_ref[ref].title for ref in work.failed] == [
        f"Count doors on floor {number}" for number in range(2, 7)
    ]
    memory, facts = folded(talk(*log, close("E1")))
    assert list(memory.episodes.by_ref) == [1]
    assert closed(facts)[-1]["tally"]["themes"] == {"check exit": 7, "count door": 7}


def test_what_is_still_open_ends_with_its_goal_and_counts_in_it() -> None:
    """Abandoned when it is closed, superseded when a new goal takes its place."""
    _, facts = folded(talk(goal("Doors"), task("Floor one"), run(1), close("E1")))
    assert [data["status"] for data in closed(facts)] == ["abandoned", "completed"]
    assert closed(facts)[-1]["tally"]["tasks"] == {"abandoned": 1}
    _, facts = folded(talk(goal("Doors"), task("Floor one"), goal("Windows")))
    assert [data["status"] for data in closed(facts)] == ["superseded", "superseded"]


def test_a_context_holds_the_newest_word_on_each_fact() -> None:
    """Oldest facts go first past the limit; the archived one is shorter, in whole facts."""
    log = [step(discovered={"floors": "2"}), step(discovered={"exits": "6", "floors": "3"})]
    memory, _ = folded(talk(goal("Doors"), *log))
    assert work_of(memory, 1).context == "exits: 6\nfloors: 3"
    log = [step(discovered={f"fact {k:02}": "a" * 91}) for k in range(40)]
    memory, _ = folded(talk(goal("Doors"), *log))
    lines = work_of(memory, 1).context.split("\n")
    assert len(lines) == 19
    assert lines[-1].startswith("fact 39")
    memory, _ = folded(talk(goal("Doors"), *log, close()))
    kept = work_of(memory, 1).context
    assert [line[:7] for line in kept.split("\n")] == ["fact 36", "fact 37", "fact 38", "fact 39"]
    assert len(kept) <= 500


def test_archiving_keeps_few_tokens_of_many() -> None:
    """The documents' example: fifty runs leave one row, and its size says what went."""
    memory, _ = folded(talk(goal("Doors"), *(run(k) for k in range(50)), close()))
    row: Episode = memory.episodes.by_ref[1]
    assert row.size * 10 < work_of(memory, 1).tally.was
    assert eviction.episode_line(row).startswith(
        "E1 goal Doors: completed | 50 runs, 45 ok (load_model 13"
    )


@given(st.text(max_size=40))
def test_any_title_has_a_theme(title: str) -> None:
    """One or two words, the same for the same title, whatever its case or numbers."""
    theme = tallies.title_theme(title)
    assert theme
    assert len(theme.split()) <= 2 or theme == tallies.OTHER
    assert tallies.title_theme(f"{title} 17") == theme
