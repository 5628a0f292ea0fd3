"""When a session with a floor is over."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import SpendReserved, SpendSettled
from parley.memory.arbitration.session_end import (
    find_end_reason,
    ms_until_clock_rule,
    sum_up_session,
)
from parley.memory.errors import SettingsRefused
from parley.memory.settings.session_settings import Settings, merge_settings
from parley.memory.settings.stop_rules import StopBounds, parse_stop_rules, stop_bounds
from tests.support.logs.tables import Table, agent, person


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        ({"turnz": 3}, "nearest is 'turns'"),
        ({"turns": 0}, "whole number from 1, not 0"),
        ({"turns": True}, "whole number"),
        ({"turns": "3"}, "whole number"),
        ({"turns": 3, "hops": True}, "'any' or 'all'"),
        ({"quiescent": False}, "true, or left out"),
        ({"any": {"turns": 3}}, "list of rules"),
        ({"any": [3]}, "3 is no rule"),
        ({"all": []}, "always hold"),
        ({"any": [{"all": [{"votez": 1}]}]}, "nearest is 'votes'"),
        ({"any": [{}]}, "not one rule"),
    ],
)
def test_wrong_rules_are_refused(tree: dict[str, Any], reason: str) -> None:
    """With what is wrong, wherever it is nested; settings refuse them alike."""
    with pytest.raises(SettingsRefused, match=reason):
        parse_stop_rules(tree)
    with pytest.raises(SettingsRefused, match=reason):
        merge_settings(Settings(), {"stop": tree})


def test_rules_that_are_nested_too_deep_are_refused() -> None:
    """Rather than read for as long as the stack lasts."""
    tree: dict[str, Any] = {"turns": 1}
    for _ in range(5000):
        tree = {"any": [tree]}
    with pytest.raises(SettingsRefused, match="deep"):
        parse_stop_rules(tree)


def test_given_rules_take_the_place_of_the_default_ones() -> None:
    """They are one value, and not laid over the tree before."""
    assert merge_settings(Settings(), {"stop": {"messages": 9}}).stop == {"messages": 9}
    assert merge_settings(Settings(), {"stop": {}}).stop == {}


def test_no_rule_never_holds() -> None:
    """An empty tree stops nothing."""
    table = Table(agent("ana"))
    assert find_end_reason(table.memory, parse_stop_rules({}), 10**6) is None


def test_each_rule_counts_its_own() -> None:
    """It holds from its number on, and is named with it."""
    table = Table(agent("ana"), agent("bo"))
    table.turn("ana", "[DECISION] We move the index.")
    table.turn("bo", "Fine by me then.")
    table.turn("ana", "So be it.")
    table.say("eli", "Good.")
    for k in range(12):
        table.put(SpendReserved(participant="ana", call=f"k{k}", purpose="draft", tokens=9))
        table.put(
            SpendSettled(
                participant="ana", call=f"k{k}", input_tokens=5, micros=2,
                outcome="failed" if k < 3 else "used",
            )
        )  # fmt: skip
    table.vote(1, status="failed")
    table.vote(2, status="open")
    reached = {
        "messages": 4, "turns": 3, "tokens": 60, "micros": 24, "seconds": 7, "votes": 1,
        "stalled": 2, "errors": 250,
    }  # fmt: skip
    for rule, value in reached.items():
        assert find_end_reason(table.memory, parse_stop_rules({rule: value}), 7) == (
            rule,
            f"{rule}:{value}",
        )
        assert find_end_reason(table.memory, parse_stop_rules({rule: value + 1}), 7) is None
    sums = sum_up_session(table.memory)
    assert {key: sums[key] for key in ("messages", "turns", "tokens", "micros", "votes")} == {
        "messages": 4, "turns": 3, "tokens": 60, "micros": 24, "votes": 1,
    }  # fmt: skip
    assert (sums["calls"], sums["failed"]) == (12, 3)


def test_a_share_of_few_calls_is_no_error_rate() -> None:
    """Nine failures in nine calls are not ten."""
    table = Table(agent("ana"))
    table.memory.ledger.total.calls = table.memory.ledger.total.failed = 9
    assert find_end_reason(table.memory, parse_stop_rules({"errors": 1}), 0) is None
    table.memory.ledger.total.calls = 10
    assert find_end_reason(table.memory, parse_stop_rules({"errors": 900}), 0) == (
        "errors",
        "errors:900",
    )


def test_hops_end_it_only_where_no_person_sits() -> None:
    """A person could speak at any time."""
    alone, watched = Table(agent("ana")), Table(agent("ana"), person("eli"))
    for table in (alone, watched):
        table.memory.floor.hops = 6
    assert find_end_reason(alone.memory, parse_stop_rules({"hops": True}), 0) == ("hops", "hops")
    assert find_end_reason(watched.memory, parse_stop_rules({"hops": True}), 0) is None


def test_any_and_all_nest() -> None:
    """The first of any; all of all, joined."""
    table = Table(agent("ana"))
    table.turn("ana")
    tree = {"any": [{"turns": 9}, {"all": [{"turns": 1}, {"quiescent": True}]}]}
    assert find_end_reason(table.memory, parse_stop_rules(tree), 0) is None
    assert find_end_reason(table.memory, parse_stop_rules(tree), 0, quiescent=True) == (
        "turns+quiescent",
        "turns:1+quiescent",
    )
    assert parse_stop_rules(tree).text == "turns:9|turns:1+quiescent"


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ({}, StopBounds()),
        ({"turns": 9}, StopBounds(turns=9)),
        ({"messages": 9}, StopBounds(turns=9, messages=9)),
        ({"any": [{"turns": 9}, {"turns": 5}, {"seconds": 60}]}, StopBounds(turns=5, seconds=60)),
        ({"all": [{"turns": 9}, {"turns": 5}]}, StopBounds(turns=9)),
        ({"all": [{"turns": 9}, {"quiescent": True}]}, StopBounds()),
        ({"all": [{"turns": 9}, {"messages": 20}]}, StopBounds(turns=20)),
        ({"any": [{"all": [{"tokens": 9}, {"hops": True}]}, {"micros": 3}]}, StopBounds(micros=3)),
    ],
)
def test_what_must_have_ended_a_session(tree: dict[str, Any], expected: StopBounds) -> None:
    """By each measure alone; what people or agents may prevent bounds nothing."""
    assert stop_bounds(parse_stop_rules(tree)) == expected


@given(st.recursive(
    st.builds(lambda rule, value: {rule: value},
              st.sampled_from(("turns", "messages", "tokens", "seconds")), st.integers(1, 30)),
    lambda below: st.builds(lambda rule, of: {rule: of}, st.sampled_from(("any", "all")),
                            st.lists(below, min_size=1, max_size=3)),
    max_leaves=8,
))  # fmt: skip
def test_a_session_at_its_bound_is_over(tree: dict[str, Any]) -> None:
    """Whatever the tree, and however little of everything else there is."""
    stop = parse_stop_rules(tree)
    bound = stop_bounds(stop)
    table = Table(agent("ana"))
    if bound.turns is not None:
        table.memory.floor.turns = table.memory.messages = bound.turns
        assert find_end_reason(table.memory, stop, 0) is not None
        table.memory.floor.turns = table.memory.messages = 0
    if bound.seconds is not None:
        assert find_end_reason(table.memory, stop, bound.seconds) is not None
        assert find_end_reason(table.memory, parse_stop_rules({"any": [tree]}), 0) is None


def test_the_clock_says_when_to_look_again() -> None:
    """At the next of the times in the rules that is still ahead."""
    stop = parse_stop_rules({"any": [{"seconds": 60}, {"all": [{"turns": 1}, {"seconds": 30}]}]})
    assert ms_until_clock_rule(stop, 0) == 30_000
    assert ms_until_clock_rule(stop, 30_000) == 30_000
    assert ms_until_clock_rule(stop, 60_000) is None
