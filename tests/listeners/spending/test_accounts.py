"""Accounts of model calls: reserved, settled, taken up again, and never beyond the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.bus import Draft, Receipt
from parley.bus.entries import SettingsChanged, SpendReserved, SpendSettled
from parley.bus.log.local_log import LocalLog
from parley.listeners.models.model_port import (
    BadAnswer,
    Completion,
    ModelError,
    ModelUnavailable,
    OverBudget,
    Prompt,
    TooSlow,
)
from parley.listeners.models.scripted_model import ScriptedModel
from parley.listeners.spending.accounts import (
    Account,
    Charge,
    charge_of,
    open_calls,
    outcome_of,
    reserve_draft,
    settle_draft,
)
from parley.listeners.spending.charged_model import ChargedModel
from parley.listeners.spending.prices import Price, tokens_to_reserve
from parley.listeners.spending.session_books import has_budget
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import Memory
from parley.memory.text.text_sizes import count_tokens
from tests.support.logs.logs import PACKS, opened

PRICES = {"small": Price(input=1_000_000, output=2_000_000)}  # a micro a token, two an answer's
PROMPT = Prompt("You talk.", "Well? " * 20, 100, purpose="summary")
ROOM = tokens_to_reserve(PROMPT)
CHARGE = Charge("call", "parley", "summary", 300, 400, "small", 100)


class LocalBooks:
    """A session of this process whose memory is folded anew for each question."""

    def __init__(self, **settings: object) -> None:
        self.log = LocalLog()
        self.log.open(opened(**settings))

    async def publish(self, drafts: Sequence[Draft]) -> Sequence[Receipt]:
        return self.log.publish(drafts)

    async def memory(self) -> Memory:
        return fold_records(Memory(PACKS), self.log.read(count=10_000))

    def ids(self) -> list[str]:
        """What was published, in order."""
        return [record.id for record in self.log.read(count=10_000)][1:]


def entry_of(draft: Draft) -> SpendSettled:
    assert isinstance(draft.entry, SpendSettled)
    return draft.entry


def test_a_charge_is_the_most_that_a_call_may_come_to() -> None:
    """Tokens of question and answer, and what they cost at the price of the model asked."""
    charge = charge_of(PROMPT, "c1", "ana", PRICES)
    assert charge == Charge("c1", "ana", "summary", ROOM, ROOM + 100, "small", 100)
    assert charge_of(replace(PROMPT, model="other"), "c1", "ana", PRICES).micros == 0
    assert reserve_draft(charge) == Draft(
        "reserve:c1",
        SpendReserved(
            participant="ana",
            call="c1",
            purpose="summary",
            tokens=ROOM,
            micros=ROOM + 100,
            model="small",
        ),
    )


def test_a_call_is_settled_as_its_provider_says() -> None:
    """Cached tokens are part of the input."""
    settled = entry_of(settle_draft(CHARGE, Completion("Yes.", "m", 120, 30, 64), "used", PRICES))
    assert (settled.input_tokens, settled.output_tokens, settled.cached_tokens) == (120, 30, 64)
    assert settled.micros == 180


def test_what_no_provider_says_is_counted() -> None:
    """The text by memory's counter, the question at what was reserved for it."""
    settled = entry_of(settle_draft(CHARGE, Completion("Yes, so far", "m"), "discarded", PRICES))
    assert (settled.input_tokens, settled.output_tokens) == (200, count_tokens("Yes, so far"))
    assert settled.micros == 200 + 2 * count_tokens("Yes, so far")


@pytest.mark.parametrize(
    ("error", "spent", "outcome"),
    [
        (ModelUnavailable("down"), 0, "failed"),
        (BadAnswer("no JSON", Completion("Hm.", "m", 120, 30)), 150, "failed"),
        (BadAnswer("a page of HTML"), 0, "failed"),
        (TooSlow("no answer within 30 s"), 300, "lost"),
    ],
)
def test_a_failed_call_costs_what_it_may_have_cost(
    error: ModelError, spent: int, outcome: str
) -> None:
    """Nothing where nothing was generated, and all where nobody knows."""
    completion, how = outcome_of(error)
    settled = entry_of(settle_draft(CHARGE, completion, how, PRICES))
    assert settled.outcome == how == outcome
    assert settled.input_tokens + settled.output_tokens == spent


async def test_a_granted_call_is_held_until_it_is_settled() -> None:
    """Then the rest of its reservation is free again."""
    books = LocalBooks(budget={"tokens": 500})
    account = Account(books, PRICES)
    assert await account.reserve(CHARGE) == CHARGE
    assert await account.reserve(replace(CHARGE, call="other")) is None
    await account.settle(CHARGE, Completion("Yes.", "m", 120, 30))
    ledger = (await books.memory()).ledger
    assert (ledger.total.tokens, ledger.total.held_tokens, ledger.calls) == (150, 0, {})
    assert await account.reserve(replace(CHARGE, call="other")) is not None


async def test_what_is_plainly_too_much_leaves_no_trace() -> None:
    """An upgrade that is tried again and again does not fill the log."""
    books = LocalBooks(budget={"tokens": 299})
    assert await Account(books, PRICES).reserve(CHARGE) is None
    assert books.ids() == []


async def test_a_call_somebody_died_over_is_taken_up() -> None:
    """Under the same id; nothing is reserved twice."""
    books = LocalBooks(budget={"tokens": 400})
    await Account(books, PRICES).reserve(CHARGE)
    assert await Account(books, PRICES).reserve(replace(CHARGE, tokens=250)) is not None
    assert books.ids() == ["reserve:call"]


async def test_too_small_a_reservation_is_lost_and_another_made() -> None:
    """Of the call that was under way nobody knows what it came to."""
    books = LocalBooks(budget={"tokens": 1000})
    account = Account(books, PRICES)
    await account.reserve(CHARGE)
    granted = await account.reserve(replace(CHARGE, tokens=500))
    assert granted is not None
    assert granted.call != "call"
    ledger = (await books.memory()).ledger
    assert (ledger.total.tokens, ledger.total.held_tokens) == (300, 500)


async def test_an_id_is_good_for_one_call() -> None:
    """The next call for the same is numbered, and settled under its number."""
    books = LocalBooks(budget={"calls": 3})
    account = Account(books, PRICES)
    for _ in range(3):
        granted = await account.reserve(CHARGE)
        assert granted is not None
        await account.settle(granted, None, "failed")
    assert await account.reserve(CHARGE) is None
    calls = [entry_id.partition(":")[2] for entry_id in books.ids()]
    assert calls[::2] == calls[1::2]
    assert len(set(calls)) == 3


async def test_the_first_word_on_a_call_stands() -> None:
    """Of two runners that made it, the later one is not heard."""
    books = LocalBooks(budget={"tokens": 400})
    account = Account(books, PRICES)
    await account.reserve(CHARGE)
    await account.settle(CHARGE, Completion("Yes.", "m", 120, 30))
    await account.settle(CHARGE, Completion("Yes, yes.", "m", 120, 31))
    assert (await books.memory()).ledger.total.tokens == 150


async def test_a_closed_session_pays_nothing() -> None:
    """And what was under way when it closed is settled nowhere."""
    books = LocalBooks(budget={"tokens": 1000})
    account = Account(books, PRICES)
    await account.reserve(CHARGE)
    books.log.close()
    assert await account.reserve(replace(CHARGE, call="late")) is None
    await account.settle(CHARGE, None, "failed")
    assert books.ids() == ["reserve:call", "close"]


async def test_a_budget_in_money_wants_a_price() -> None:
    """Without one nobody knows what a call may cost: it is not made."""
    books = LocalBooks(budget={"micros": 10_000})
    assert await Account(books, {}).reserve(CHARGE) is None
    assert await Account(books, PRICES).reserve(CHARGE) is not None


async def test_what_nobody_waits_for_is_abandoned() -> None:
    """All calls of an effect that is moot; those of another stay."""
    books = LocalBooks(budget={"tokens": 1000})
    account = Account(books, PRICES)
    await account.reserve(CHARGE)
    await account.reserve(replace(CHARGE, call="call2"))
    await account.abandon("call")
    memory = await books.memory()
    assert [charge.call for charge in open_calls(memory, "call2")] == ["call2"]
    assert open_calls(memory, "call") == []
    assert memory.ledger.total.tokens == 300


async def test_a_charged_model_is_settled_whatever_it_says() -> None:
    """An answer, a useless one, and none: each is on the account of its purpose."""
    books = LocalBooks(budget={"tokens": 100_000})
    says: list[str | ModelError] = ["Yes.", "", ModelUnavailable("down")]
    model = ScriptedModel(lambda prompt, random: says[prompt.turn])
    charged = ChargedModel(model, Account(books, PRICES), "summary:0:1:12")
    assert (await charged.complete(PROMPT)).text == "Yes."
    for turn, error in ((1, BadAnswer), (2, ModelUnavailable)):
        with pytest.raises(error):
            await charged.complete(replace(PROMPT, turn=turn))
    ledger = (await books.memory()).ledger
    own = ledger.accounts["parley"]
    assert (own.calls, own.failed, own.held_calls) == (3, 2, 0)
    asked = count_tokens(PROMPT.system) + count_tokens(PROMPT.user)
    assert ledger.purposes == {"summary": asked + count_tokens("Yes.") + asked + count_tokens("")}


async def test_a_model_beyond_the_budget_is_not_asked() -> None:
    """Whoever wanted it is told so, and has the extract."""
    model = ScriptedModel(lambda prompt, random: "Yes.")
    charged = ChargedModel(model, Account(LocalBooks(budget={"tokens": 10}), PRICES), "c")
    with pytest.raises(OverBudget, match="no room"):
        await charged.complete(PROMPT)
    assert model.prompts == []


calls = st.lists(
    st.tuples(
        st.sampled_from(("a", "b", "c")),
        st.sampled_from(("reserve", "used", "failed", "lost", "abandon")),
        st.integers(0, 400),
    ),
    max_size=25,
)


@given(calls, st.integers(0, 1500))
async def test_the_budget_holds_whatever_is_called(
    steps: list[tuple[str, str, int]], limit: int
) -> None:
    """As long as no call costs more than was reserved for it."""
    books = LocalBooks(budget={"tokens": limit})
    account = Account(books, PRICES)
    granted: dict[str, Charge] = {}
    for call, step, size in steps:
        if step == "reserve":
            charge = await account.reserve(Charge(call, "parley", "summary", size, 0, "small"))
            if charge is not None:
                granted[call] = charge
        elif step == "abandon":
            await account.abandon(call)
        elif call in granted:
            charge = granted.pop(call)
            spent = Completion("x", "m", max(0, min(size, charge.tokens) - 1) or 1, 1)
            whole = charge.tokens < 2 or step != "used"
            await account.settle(charge, None if whole else spent, "lost" if whole else "used")
        total = (await books.memory()).ledger.total
        assert total.tokens + total.held_tokens <= limit


def test_books_are_kept_where_somebody_pays() -> None:
    """A budget of any kind, or a floor: else no entry is written for a call."""
    log = LocalLog()
    log.open(opened())
    assert not has_budget(fold_records(Memory(PACKS), log.read()))
    for settings in ({"budget": {"calls": 9}}, {"floor": {"policy": "bid"}}):
        other = LocalLog()
        other.open(opened(**settings))
        assert has_budget(fold_records(Memory(PACKS), other.read()))
    log.publish([Draft("s", SettingsChanged(settings={"budget": {"micros": 1}}))])
    assert has_budget(fold_records(Memory(PACKS), log.read()))
