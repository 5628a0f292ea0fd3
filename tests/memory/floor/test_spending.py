"""Reserved before, settled after, refused beyond a budget."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import Entry, ParticipantAliased, Purpose, SpendReserved, SpendSettled
from parley.memory.floor.spending import refusing_limit
from parley.memory.state.floor_state import Account
from parley.memory.state.memory import Memory
from tests.support.logs.tables import Table, agent

BUDGET = 1000


def reserve(call: str, tokens: int, who: str = "ana", micros: int = 0) -> SpendReserved:
    return SpendReserved(participant=who, call=call, purpose="draft", tokens=tokens, micros=micros)


def settle(call: str, tokens: int, who: str = "ana", **fields: Any) -> SpendSettled:
    return SpendSettled(participant=who, call=call, input_tokens=tokens, **fields)


def table(**budget: int) -> Table:
    return Table(agent("ana", tokens=600), agent("bo"), budget=budget)


def test_what_is_not_used_of_a_reservation_is_free_again() -> None:
    """Held while the call is under way, spent as it came to."""
    t = table(tokens=BUDGET)
    t.put(reserve("a", 500))
    account = t.memory.ledger.accounts["ana"]
    assert (account.held_tokens, account.held_calls, account.tokens) == (500, 1, 0)
    t.put(settle("a", 120, output_tokens=30))
    assert (account.held_tokens, account.held_calls, account.tokens) == (0, 0, 150)
    assert t.memory.ledger.purposes == {"draft": 150}
    assert t.memory.ledger.calls == {}


@pytest.mark.parametrize(
    ("budget", "call", "limit"),
    [
        ({"tokens": 500}, reserve("b", 300, "bo"), "budget.tokens"),
        ({"micros": 9}, reserve("b", 1, "bo", micros=5), "budget.micros"),
        ({"calls": 1}, reserve("b", 1, "bo"), "budget.calls"),
        ({}, reserve("b", 400), "ana.tokens"),
    ],
)
def test_a_call_beyond_a_limit_is_refused_by_its_name(
    budget: dict[str, int], call: SpendReserved, limit: str
) -> None:
    """The session's own limits first, then the participant's."""
    t = table(**budget)
    t.put(reserve("a", 300, micros=5))
    (fact,) = t.put(call)
    assert fact.kind == "spend.refused"
    assert fact.data == {"participant": call.participant, "call": "b", "limit": limit}
    assert set(t.memory.ledger.calls) == {"a"}
    assert t.memory.ledger.refused == 1
    assert refusing_limit(t.memory, call.participant, call.tokens, call.micros) == limit


def test_exactly_the_budget_fits() -> None:
    """And not one token more."""
    t = table(tokens=500)
    assert refusing_limit(t.memory, "bo", 500, 0) == ""
    assert refusing_limit(t.memory, "bo", 501, 0) == "budget.tokens"


def test_a_call_id_is_held_once() -> None:
    """A reservation that comes again, and a settlement that does, change nothing."""
    t = table(tokens=BUDGET)
    t.put(reserve("a", 100), reserve("a", 900, "bo"))
    assert t.memory.ledger.total.held_tokens == 100
    t.put(settle("a", 60), settle("a", 60), settle("never", 60))
    assert (t.memory.ledger.total.tokens, t.memory.ledger.total.calls) == (60, 1)


def test_a_call_that_costs_more_than_it_might_is_counted() -> None:
    """It was made, so it is booked; the excess is on record."""
    t = table(tokens=BUDGET)
    t.put(reserve("a", 100), settle("a", 130))
    assert (t.memory.ledger.total.tokens, t.memory.ledger.overrun) == (130, 30)


@pytest.mark.parametrize("outcome", ["used", "failed", "lost"])
def test_a_lost_call_came_to_all_that_was_reserved(outcome: Any) -> None:
    """Nobody knows better; a failed one to what it says."""
    t = table(tokens=BUDGET)
    t.put(reserve("a", 100), settle("a", 10, outcome=outcome))
    assert t.memory.ledger.total.tokens == (100 if outcome == "lost" else 10)
    assert t.memory.ledger.total.failed == (outcome != "used")


def test_a_newer_process_loses_what_the_older_one_held() -> None:
    """Its calls may have been made; those of others go on."""
    t = Table(agent("ana", seat="one"), agent("bo"), budget={"tokens": BUDGET})
    t.put(reserve("a", 100), reserve("b", 50, "bo"))
    t.put(agent("ana", seat="one"))
    assert set(t.memory.ledger.calls) == {"a", "b"}
    t.put(agent("ana", seat="two"))
    assert set(t.memory.ledger.calls) == {"b"}
    assert t.memory.ledger.accounts["ana"] == Account(tokens=100, calls=1, failed=1)
    t.put(settle("a", 10))
    assert t.memory.ledger.accounts["ana"].tokens == 100


CALLS = st.sampled_from([f"k{k}" for k in range(8)])
WHO = st.sampled_from(("ana", "bo", "cy"))
SEATS = st.sampled_from(("one", "two"))
OUTCOMES = st.sampled_from(("used", "passed", "discarded", "failed", "lost"))
SPENT = st.one_of(
    st.builds(
        SpendReserved, participant=WHO, call=CALLS, purpose=st.sampled_from(get_args(Purpose)),
        tokens=st.integers(0, 500), micros=st.integers(0, 500),
    ),
    st.builds(
        SpendSettled, participant=WHO, call=CALLS, input_tokens=st.integers(0, 300),
        output_tokens=st.integers(0, 300), micros=st.integers(0, 500), outcome=OUTCOMES,
    ),
    st.builds(lambda who, seat: agent(who, seat=seat, tokens=700), WHO, SEATS),
    st.builds(ParticipantAliased, alias=WHO, participant=WHO),
)  # fmt: skip


@given(st.lists(SPENT, max_size=60))
def test_settled_and_held_never_exceed_the_budget(entries: list[Entry]) -> None:
    """Law 18, whatever interleaves, as long as no call comes to more than was reserved."""
    t = Table(agent("ana"), budget={"tokens": BUDGET, "micros": BUDGET, "calls": 9})
    for entry in entries:
        t.put(_within(t.memory, entry))
        ledger = t.memory.ledger
        total = ledger.total
        assert total.tokens + total.held_tokens <= BUDGET
        assert total.micros + total.held_micros <= BUDGET
        assert total.calls + total.held_calls <= 9
        assert ledger.overrun == 0
        assert total.held_calls == len(ledger.calls)
        assert sum(ledger.purposes.values()) == total.tokens
        for field in Account.__struct_fields__:
            parts = [getattr(account, field) for account in ledger.accounts.values()]
            assert sum(parts) == getattr(total, field)
            assert min(parts, default=0) >= 0


def _within(memory: Memory, entry: Entry) -> Entry:
    """`entry`, or a settlement brought down to what was reserved for it."""
    if entry.kind != "spend.settled":
        return entry
    reservation = memory.ledger.calls.get(entry.call)
    most = 0 if reservation is None else reservation.tokens
    into = min(entry.input_tokens, most)
    out = min(entry.output_tokens, most - into)
    micros = min(entry.micros, 0 if reservation is None else reservation.micros)
    return entry.model_copy(update={"input_tokens": into, "output_tokens": out, "micros": micros})
