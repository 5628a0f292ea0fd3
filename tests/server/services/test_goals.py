"""Goals, tasks and steps from the command line."""

from __future__ import annotations

from tests.support.doors.calls import Parley


def test_a_goal_with_tasks_from_the_command_line(parley: Parley) -> None:
    """Open, record, close; the tree says what is ready, what waits, what was done."""
    parley("session", "new", "audit")
    assert parley("goal", "open", "audit", "Count the doors", "--as", "ana").out == "E1\n"
    assert parley("task", "open", "audit", "Load the model", "--as", "ana").out == "E2\n"
    waits = parley("task", "open", "audit", "Count doors", "--as", "ana", "--after", "e2")
    assert waits.out == "E3\n"
    step = parley(
        "step", "audit", "It has two floors.", "--as", "ana", "--of", "E2",
        "--form", "validation", "--discovered", "floors=2", "--json",
    )  # fmt: skip
    assert step.rows() == [{"n": 4, "ref": "E2"}]
    listed = parley("goal", "ls", "audit").out.splitlines()
    assert listed == [
        "E1 goal Count the doors  [open]  1 step",
        "  E2 task Load the model  [ready]  1 step",
        "  E3 task Count doors  [blocked, waits for E2]",
    ]
    assert "E2 task is completed" in parley("task", "close", "audit", "E2", "--as", "ana").err
    rows = parley("goal", "ls", "audit", "--json").rows()
    assert [(row["ref"], row["status"], row["depth"]) for row in rows] == [
        ("E1", "open", 0),
        ("E3", "ready", 1),
    ]
    assert rows[0]["tally"]["tasks"] == {"completed": 1}
    assert rows[0]["tally"]["success_rate_permille"] is None
    assert rows[0]["context"] == ["floors: 2"]
    closed = parley(
        "goal", "close", "audit", "--as", "ana", "--status", "failed", "--result", "No model.",
        "--json",
    )  # fmt: skip
    (row,) = closed.rows()
    assert (row["status"], row["result"]) == ("failed", "No model.")
    assert row["tally"]["tasks"] == {"abandoned": 1, "completed": 1}


def test_phases_and_rounds_are_opened_by_kind(parley: Parley) -> None:
    """A round stands in its phase and ends with it."""
    parley("session", "new", "trial")
    assert parley("episode", "open", "trial", "phase", "First phase").out == "E1\n"
    assert parley("episode", "open", "trial", "round", "Round one").out == "E2\n"
    assert "E2 round is completed" in parley("episode", "close", "trial").err
    assert "E1 phase is completed" in parley("episode", "close", "trial", "E1").err


def test_what_is_not_there_is_said_with_what_to_do(parley: Parley) -> None:
    """Misuse is 2, what cannot be is 1; nothing is published."""
    parley("session", "new", "audit")
    for code, words, args in (
        (1, "no goal is open", ("goal", "close", "audit")),
        (1, "no episode E7 is held", ("goal", "close", "audit", "E7")),
        (2, "'P3' is no handle", ("goal", "close", "audit", "P3")),
        (1, "no episode E9", ("task", "open", "audit", "Count", "--after", "E9")),
        (1, "no goal or task is open", ("step", "audit", "Hm.")),
        (2, "write --discovered NAME=VALUE", ("step", "audit", "Hm.", "--discovered", "x")),
        (1, "no session 'none'", ("goal", "ls", "none")),
    ):
        ran = parley(*args)
        assert (ran.code, words in ran.err) == (code, True), ran.err
    assert parley("goal", "ls", "audit").out == (
        "no goals; 'parley goal open SESSION TEXT' opens one\n"
    )
    parley("goal", "open", "audit", "Doors", "--as", "ana")
    refused = parley("task", "close", "audit", "E1", "--as", "ana")
    assert (refused.code, "E1 is a goal" in refused.err) == (2, True)


def test_a_tool_run_counts_where_it_is_said_to(parley: Parley) -> None:
    """In the task that --of names; one that is not open is refused, and nothing published."""
    parley("session", "new", "audit")
    parley("goal", "open", "audit", "Count the doors", "--as", "ana")
    parley("task", "open", "audit", "Ask the north wing", "--as", "ana")
    parley("task", "open", "audit", "Ask the south wing", "--as", "ana")
    put = ("tool", "put", "audit", "count", "--result", "40", "--as", "ana", "--of")
    assert parley(*put, "e2").out == "4\n"
    assert parley("goal", "ls", "audit").out.splitlines() == [
        "E1 goal Count the doors  [open]  1 run, 100 % ok",
        "  E2 task Ask the north wing  [ready]  1 run, 100 % ok",
        "  E3 task Ask the south wing  [ready]",
    ]
    refused = parley(*put, "E9")
    assert (refused.code, "E9 is not open" in refused.err) == (1, True)
    assert parley("say", "audit", "So much for today.", "--as", "ana").out == "5\n"
