"""The most that a scenario can come to: known before, and never exceeded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.listeners.agents.host import HostedPart
from parley.listeners.spending.prices import Price
from parley.memory.extraction.model_claims.reading_sizes import CALLS
from parley.memory.settings.session_settings import Settings, merge_settings
from parley.personas.persona import Budget
from parley.server.basics.errors import Misuse
from parley.server.scenarios.cost_bound import refuse_unbounded, refuse_unpriced, worst_case
from tests.support.sessions.talkers import persona

PRICES = {
    "small": Price(input=150_000, output=600_000),
    "large": Price(input=2_500_000, output=10_000_000),
}


def parts(count: int, turns: int | None = None) -> list[HostedPart]:
    return [
        HostedPart(f"a{number}", persona(f"a{number}", budget=Budget(turns=turns)))
        for number in range(count)
    ]


def settings(stop: dict[str, Any], **groups: Any) -> Settings:
    return merge_settings(Settings(), {"stop": stop, "floor": {"policy": "bid"}, **groups})


def test_the_stop_rule_bounds_turns_and_with_them_calls() -> None:
    """A turn more costs more, in each kind of call that a turn brings."""
    floor = {"policy": "bid", "hops_hard": 0}
    ten, twenty = (
        worst_case(parts(3), settings({"turns": turns}, floor=floor), PRICES, people=False)
        for turns in (10, 20)
    )
    assert (ten.turns, twenty.turns) == (10, 20)
    assert ten.tokens is not None
    assert twenty.tokens is not None
    assert ten.tokens < twenty.tokens < 2 * ten.tokens
    assert {kind.purpose for kind in ten.kinds} == {"evaluate", "draft", "ballot"}


def test_a_draft_of_each_agent_that_comes_to_nothing_is_counted() -> None:
    """Each is asked before a silence ends it, and who says nothing takes no turn."""
    rules = settings({"turns": 1}, floor={"policy": "bid", "restarts": 2})
    bound = worst_case(parts(4), rules, PRICES, people=False)
    (drafts,) = [kind for kind in bound.kinds if kind.purpose == "draft"]
    assert drafts.calls == (1 + 4) * 3


def test_the_hop_limit_bounds_agents_among_themselves_alone() -> None:
    """Where a person may come, it is a pause and bounds nothing."""
    rules = settings({"quiescent": True})
    assert worst_case(parts(3), rules, PRICES, people=False).turns == 18
    assert worst_case(parts(3), rules, PRICES, people=True).turns is None


def test_turns_of_each_bound_the_whole() -> None:
    """Where everyone has a limit."""
    rules = settings({"quiescent": True})
    assert worst_case(parts(3, turns=2), rules, PRICES, people=True).turns == 6


def test_a_budget_caps_what_turns_would_allow() -> None:
    """In tokens, in money and in calls."""
    rules = settings({"turns": 30}, budget={"tokens": 5_000, "micros": 7, "calls": 3})
    bound = worst_case(parts(2), rules, PRICES, people=False)
    assert (bound.tokens, bound.micros, bound.calls) == (5_000, 7, 3)


def test_without_a_price_the_cost_is_not_known() -> None:
    """It is said, not taken for nothing."""
    bound = worst_case(parts(2), settings({"turns": 5}), {"small": PRICES["small"]}, people=False)
    assert bound.tokens is not None
    assert bound.micros is None


def test_of_one_model_without_a_price_the_cost_is_not_known_either() -> None:
    """However much is known of the others: it may be the dearest."""
    odd = HostedPart("odd", replace(persona("odd"), model="odd"))
    rules = settings({"turns": 5})
    assert worst_case([*parts(2), odd], rules, PRICES, people=False).micros is None


@pytest.mark.parametrize("whose", ["session", "persona"])
def test_a_budget_in_money_wants_a_price_for_every_model(whose: str) -> None:
    """Or its participant would never be asked, and nobody told why."""
    own = Budget(micros=5) if whose == "persona" else Budget()
    rules = settings({"turns": 5}, budget={"micros": 5 if whose == "session" else None})
    cast = [*parts(2), HostedPart("odd", replace(persona("odd", budget=own), model="odd"))]
    with pytest.raises(Misuse, match=r"f.yaml: odd needs the price of 'odd'.*'prices'"):
        refuse_unpriced(cast, rules, PRICES, "f.yaml")
    refuse_unpriced(cast, rules, {**PRICES, "odd": Price(input=0, output=0)}, "f.yaml")
    if whose == "session":
        refuse_unpriced(cast, settings({"turns": 5}), PRICES, "f.yaml")


def test_what_nothing_bounds_is_refused_with_what_would() -> None:
    """Time alone bounds no cost."""
    rules = settings({"any": [{"seconds": 60}, {"quiescent": True}]})
    bound = worst_case(parts(2), rules, PRICES, people=True)
    with pytest.raises(Misuse, match=r"add a stop rule such as 'stop: \{any: \[\{turns: 60\}"):
        refuse_unbounded(bound, "f.yaml")
    refuse_unbounded(
        worst_case(parts(2), settings({"seconds": 9}, budget={"tokens": 9}), PRICES, people=True),
        "f",
    )


@given(
    st.sampled_from(("bid", "round_robin", "panel", "moderated", "open")),
    st.sampled_from(("self", "panel", "rules")),
    st.integers(1, 12), st.integers(1, 200),
)  # fmt: skip
def test_more_agents_never_cost_less(policy: str, how: str, count: int, turns: int) -> None:
    """Whatever the policy; and every part of the sum is counted in it."""
    rules = settings({"turns": turns}, floor={"policy": policy, "evaluation": how, "hops_hard": 0})
    bound, more = (worst_case(parts(n), rules, PRICES, people=False) for n in (count, count + 1))
    assert bound.tokens is not None
    assert more.tokens is not None
    assert bound.tokens <= more.tokens
    assert bound.tokens == sum(kind.tokens for kind in bound.kinds)
    assert bound.calls == sum(kind.calls for kind in bound.kinds)


def test_readings_by_a_model_are_counted_in() -> None:
    """Each stretch may be asked about so often, and the last one is short."""
    extract = {"how": "model", "interval": 5, "tokens": 2000, "out": 300}
    bound = worst_case(parts(2), settings({"turns": 12}, extract=extract), PRICES, people=False)
    (kind,) = [kind for kind in bound.kinds if kind.purpose == "extract"]
    assert kind.calls == CALLS * 13  # what is said may fill a question at every turn
    assert kind.tokens >= CALLS * 13 * (2000 + 300)
    short = {**extract, "tokens": 6000}
    bound = worst_case(parts(2), settings({"turns": 12}, extract=short), PRICES, people=False)
    (kind,) = [kind for kind in bound.kinds if kind.purpose == "extract"]
    assert kind.calls == CALLS * 3
    without = worst_case(parts(2), settings({"turns": 12}), PRICES, people=False)
    assert bound.tokens is not None
    assert without.tokens == bound.tokens - kind.tokens
    quiet = {**short, "quiet": 60}  # less than a holder of the floor may take to speak
    bound = worst_case(parts(2), settings({"turns": 12}, extract=quiet), PRICES, people=False)
    (kind,) = [kind for kind in bound.kinds if kind.purpose == "extract"]
    assert kind.calls == CALLS * 13


NOTES = {"policy": "rewrite", "retries": 2}
QUIET = {"consensus": "append", "results": "append"}


def notes(turns: int, heads: int = 2, **groups: Any) -> tuple[int, int] | None:
    """Calls and tokens of reflections, where there are any."""
    rules = settings({"turns": turns}, floor={"policy": "bid", "hops_hard": 0}, **groups)
    bound = worst_case(parts(heads), rules, PRICES, people=False)
    assert bound.tokens == sum(kind.tokens for kind in bound.kinds)
    kinds = [kind for kind in bound.kinds if kind.purpose == "note"]
    return (kinds[0].calls, kinds[0].tokens) if kinds else None


@pytest.mark.parametrize(
    ("groups", "calls"),
    [
        ({}, None),
        ({"note": NOTES, "routes": QUIET}, None),
        ({"note": NOTES}, 2 * 2 * (10 + 1)),  # a vote of each turn, and the results
        ({"note": {**NOTES, "policy": "append"}}, 2 * 2 * (10 + 1)),
        ({"note": {**NOTES, "retries": 5}}, 5 * 2 * (10 + 1)),
        ({"note": NOTES, "routes": {**QUIET, "own": "reflect"}}, 2 * 10),
        ({"note": NOTES, "routes": {**QUIET, "statement": "reflect"}}, 2 * 2 * 10),
        ({"note": NOTES, "routes": {**QUIET, "statement": "reflect", "own": "reflect"}},
         2 * 2 * 10),
        ({"note": NOTES, "routes": {**QUIET, "vote": "reflect"}}, 2 * 2 * 10),
        ({"note": NOTES, "routes": QUIET, "limits": {"note": {"warn": 500}}}, 2 * 10),
        ({"note": NOTES, "routes": QUIET, "limits": {"statement": 0}}, 2 * 10),
        ({"note": {**NOTES, "agents": {"a0": {"policy": "off"}}}}, 2 * (10 + 1)),
        ({"note": {"retries": 2, "agents": {"a0": {"policy": "rewrite"}}}}, 2 * (10 + 1)),
    ],
)  # fmt: skip
def test_reflections_on_notebooks_are_counted_in(groups: dict[str, Any], calls: int | None) -> None:
    """Of each keeper one for each occasion that its routes make one, with each try."""
    count = notes(10, **groups)
    assert (count and count[0]) == calls


@pytest.mark.parametrize(
    ("routes", "more"), [({}, 2 * 11), ({"statement": "reflect"}, 2 * (22 + 2)), (QUIET, 0)]
)
def test_who_says_what_is_said_first_keeps_a_notebook_too(
    routes: dict[str, str], more: int
) -> None:
    """And its words are an occasion for the others."""
    floor = {"policy": "bid", "hops_hard": 0}
    rules = settings({"turns": 10}, floor=floor, note=NOTES, routes=routes)
    count, without = (
        worst_case(parts(2), rules, PRICES, people=False, opener=opener).calls or 0
        for opener in ("host", "")
    )
    assert count - without == more


def test_a_larger_notebook_costs_more_to_rewrite() -> None:
    """Its limit bounds the question, which quotes it, and the answer."""
    small, large = (
        notes(10, note={**NOTES, "agents": {name: {"limit": limit} for name in ("a0", "a1")}})
        for limit in (600, 6_000)
    )
    assert small is not None
    assert large is not None
    assert small[0] == large[0]
    assert small[1] + small[0] * (6_000 - 600) // 3 * 2 < large[1]
