"""Whether a listener is to think about speaking at all."""

from __future__ import annotations

from typing import Any

import pytest

from parley.bus.entries import (
    FloorMuted,
    FloorNudged,
    FloorPaused,
    Message,
    ParticipantJoined,
    ParticipantLeft,
    SessionClosed,
    SpendReserved,
)
from parley.memory.arbitration.gate import judge_listener, list_grantable_agents
from parley.memory.arbitration.urgency import judge_urgency
from tests.support.logs.logs import numbered
from tests.support.logs.tables import Table, agent, person


def three(**settings: Any) -> Table:
    return Table(agent("ana"), agent("bo"), agent("cy"), **settings)


def verdicts(table: Table) -> str:
    """Those of ana, bo and cy."""
    return " ".join(judge_listener(table.memory, name) for name in ("ana", "bo", "cy"))


def test_at_the_beginning_everyone_thinks() -> None:
    """Somebody has to begin."""
    assert verdicts(three()) == "evaluate evaluate evaluate"


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (SessionClosed(reason="done"), "closed closed closed"),
        (FloorPaused(), "paused paused paused"),
        (FloorMuted(participant="bo"), "evaluate muted evaluate"),
        (ParticipantLeft(participant="bo"), "evaluate muted evaluate"),
        (ParticipantJoined(participant="bo", role="observer"), "evaluate muted evaluate"),
        (agent("bo", turns=0), "evaluate budget evaluate"),
        (agent("bo", tokens=300), "evaluate budget evaluate"),
    ],
)
def test_some_need_not_think(entry: Any, expected: str) -> None:
    """Everyone or one of them, and why."""
    table = three()
    table.put(entry)
    assert verdicts(table) == expected


def test_a_held_floor_and_an_order_leave_nothing_to_ask_for() -> None:
    """Nor does a vote; one by consent goes on beside the talk."""
    table = three()
    table.grant("ana")
    assert verdicts(table) == "held held held"
    assert judge_listener(three(floor={"policy": "round_robin"}).memory, "ana") == "held"
    table = three()
    vote = table.vote(1, status="open")
    assert verdicts(table) == "voting voting voting"
    vote.rule = "consent"
    assert verdicts(table) == "evaluate evaluate evaluate"


def test_who_spoke_last_listens() -> None:
    """And then for a turn of others, or as many as are set."""
    table = three(floor={"policy": "bid", "cooldown": 2})
    table.turn("ana")
    assert verdicts(table) == "own evaluate evaluate"
    table.turn("bo")
    assert verdicts(table) == "cooldown own evaluate"
    table.turn("cy")
    assert verdicts(table) == "evaluate cooldown own"


def test_a_persona_has_a_cooldown_of_its_own() -> None:
    """Over the session's."""
    table = Table(agent("ana", cooldown=3), agent("bo"), agent("cy"))
    for name in ("ana", "bo", "cy"):
        table.turn(name)
    assert verdicts(table) == "cooldown evaluate own"


def test_nobody_waits_for_turns_that_cannot_come() -> None:
    """Where all cool down, nobody does; where the others have passed, neither."""
    table = three(floor={"policy": "bid", "cooldown": 5})
    for name in ("ana", "bo", "cy"):
        table.turn(name)
    assert verdicts(table) == "evaluate evaluate own"
    assert list_grantable_agents(table.memory) == ["ana", "bo"]
    table = three(floor={"policy": "bid", "cooldown": 2})
    table.turn("ana")
    table.turn("bo")
    assert list_grantable_agents(table.memory) == ["cy"]
    table.passes("cy")
    assert verdicts(table) == "evaluate own passed"


def test_a_pair_listens_until_the_others_were_asked_in_vain() -> None:
    """A pass is not enough: that is how it came to be a pair."""
    table = three(floor={"policy": "bid", "pair": 4})
    table.passes("cy", ready=True)
    for name in ("ana", "bo") * 2:
        table.turn(name)
    assert verdicts(table) == "pair own passed"
    assert list_grantable_agents(table.memory) == ["cy"]
    table.put(FloorNudged(participant="cy"))
    assert verdicts(table) == "pair own bid"
    table.passes("cy")
    assert list_grantable_agents(table.memory) == ["ana", "cy"]


def test_a_person_calls_somebody_out_of_a_pair_and_an_agent_does_not() -> None:
    """Two agents that call each other would never be quiet."""
    table = Table(*map(agent, ("ana", "bo", "cy", "dee")), floor={"policy": "bid", "pair": 4})
    for name in ("ana", "bo") * 2:
        table.turn(name)
    table.turn("cy", "And you, @ana?")
    assert judge_listener(table.memory, "ana") == "pair"
    table.say("eli", "Well, @ana?")
    assert judge_listener(table.memory, "ana") == "bid"


def test_who_is_called_asks_for_the_floor_at_once() -> None:
    """The others hear that it is for somebody else."""
    table = three()
    table.turn("bo")
    table.turn("ana", "What do you say, @bo?")
    assert verdicts(table) == "own bid elsewhere"
    table.bid("bo", 3)
    assert verdicts(table) == "own standing elsewhere"


def test_the_longer_one_has_nothing_to_say_the_longer_it_is_left_alone() -> None:
    """Two turns, then four, then as many as there are agents at most; the streak goes on."""
    table = Table(*(agent(name) for name in ("ana", "bo", "cy", "dee", "eve")))
    waits = []
    for _ in range(3):
        table.passes("eve")
        waited = 0
        while judge_listener(table.memory, "eve") == "passed":
            table.turn(("ana", "bo", "cy", "dee")[table.memory.floor.turns % 4])
            waited += 1
        waits.append(waited)
    assert waits == [2, 4, 5]


def test_one_that_is_ready_stays_ready() -> None:
    """Until it is called, or something stirs."""
    table = three()
    table.passes("cy", ready=True)
    for name in ("ana", "bo") * 4:
        table.turn(name)
    assert judge_listener(table.memory, "cy") == "passed"
    table.say("eli", "One more thing.")
    assert judge_listener(table.memory, "cy") == "evaluate"


def test_hops_let_nobody_go_on() -> None:
    """Six turns a head without a person."""
    table = Table(agent("ana"), agent("bo"), person("eli"))
    for _ in range(6):
        table.turn("ana")
        table.turn("bo")
    assert judge_listener(table.memory, "ana") == "hops"
    table.say("eli", "Go on.")
    assert judge_listener(table.memory, "ana") == "evaluate"


def test_who_cannot_pay_for_the_shortest_draft_has_no_budget() -> None:
    """What is held for others counts."""
    table = three(budget={"tokens": 1500})
    table.put(SpendReserved(participant="ana", call="k", purpose="draft", tokens=900))
    assert verdicts(table) == "budget budget budget"


# -- without a model -----------------------------------------------------------------


def bid_of(table: Table, name: str, *contents: str) -> Any:
    """The bid of `name` having heard these words."""
    for content in contents:
        table.say("eli", content)
    records = numbered([Message(participant="eli", content=content) for content in contents])
    return judge_urgency(table.memory, name, records)


def test_what_interests_a_listener_is_worth_a_bid() -> None:
    """Two of its interests are worth more than one; words of its own are none."""
    table = Table(agent("ana", interests=("evidence", "running costs", "risk")))
    made = bid_of(table, "ana", "It costs a lot, and the risks are high.")
    assert (made.urgency, made.intent, made.novelty) == (2, "answer", "running costs risk")
    assert bid_of(Table(agent("ana", interests=("risk",))), "ana", "Tea?") is None


def test_a_proposal_waits_for_a_word() -> None:
    """Of everyone but its proposer and those who have reacted."""
    table = three()
    table.turn("ana", "[PROPOSAL] Move the index to the second disk")
    table.turn("bo", "I support P1.")
    assert judge_urgency(table.memory, "ana", []) is None
    assert judge_urgency(table.memory, "bo", []) is None
    made = judge_urgency(table.memory, "cy", [])
    assert made is not None
    assert (made.intent, made.re) == ("ask", "P1")


def test_a_decision_that_nobody_tested_is_opposed() -> None:
    """Before it closes."""
    table = three()
    table.turn("ana", "[DECISION] Move the index to the second disk")
    made = judge_urgency(table.memory, "bo", [])
    assert made is not None
    assert (made.intent, made.re) == ("oppose", "D1")


def test_who_has_hardly_spoken_asks_for_a_word() -> None:
    """Even where nothing interests it."""
    table = three()
    for name in ("ana", "bo") * 3:
        table.turn(name, "A long story about the weather in the north. " * 3)
    made = judge_urgency(table.memory, "cy", [])
    assert made is not None
    assert made.urgency == 1
    assert judge_urgency(table.memory, "ana", []) is None


def test_who_is_called_is_most_urgent() -> None:
    """Whatever else there is."""
    table = three()
    table.say("ana", "Bo?", to=("bo",))
    made = judge_urgency(table.memory, "bo", [])
    assert made is not None
    assert (made.urgency, made.intent) == (3, "answer")
    assert judge_urgency(table.memory, "nobody", []) is None
