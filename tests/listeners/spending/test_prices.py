"""What model calls cost, in whole micros."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from parley.listeners.models.model_port import AnswerSchema, Prompt
from parley.listeners.spending.prices import (
    Price,
    by_tier,
    cost,
    highest_cost,
    price_of,
    tokens_to_reserve,
)
from parley.memory.text.text_sizes import count_tokens

MINI = Price(input=150_000, output=600_000, cached=75_000)
PRICES = {"gpt-4o-mini": MINI, "big": Price(input=2_500_000, output=10_000_000)}

sizes = st.integers(0, 200_000)


def test_a_call_is_summed_by_what_each_part_costs() -> None:
    """1,000 in, of them 400 cached, and 200 out: 90 + 30 + 120 micros."""
    assert cost(PRICES, "gpt-4o-mini", 1000, 200, 400) == 240


def test_cached_input_without_a_price_is_input() -> None:
    """As long as a provider gives no discount."""
    assert cost(PRICES, "big", 1000, 0, 1000) == cost(PRICES, "big", 1000, 0) == 2500


def test_what_is_left_of_a_micro_is_a_micro() -> None:
    """A sum is rounded up, once."""
    assert cost(PRICES, "gpt-4o-mini", 1, 0) == 1
    assert cost(PRICES, "gpt-4o-mini", 7, 0) == 2
    assert cost(PRICES, "gpt-4o-mini", 0, 0) == 0


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("gpt-4o-mini", True),
        ("gpt-4o-mini-2024-07-18", True),
        ("gpt-4o-mini-latest", True),
        ("gpt-4o", False),
        ("gpt-4o-mini-audio", False),
        ("big-2", False),
        ("", False),
    ],
)
def test_a_dated_model_has_the_price_of_its_name(model: str, known: bool) -> None:
    """Another model whose name begins alike has not."""
    assert (price_of(PRICES, model) is not None) == known


def test_a_model_without_a_price_costs_nothing() -> None:
    """Who has a budget in money asks `price_of` first."""
    assert cost(PRICES, "local", 10**6, 10**6) == 0


def test_tiers_cost_what_their_models_do() -> None:
    """Whichever of the two the price was given for."""
    prices = by_tier(PRICES, "gpt-4o-mini-2024-07-18", "big")
    assert prices["small"] == prices["gpt-4o-mini-2024-07-18"] == MINI
    assert prices["large"] == PRICES["big"]
    assert by_tier({"small": MINI}, "local", "local")["local"] == MINI
    assert by_tier({}, "local", "local") == {}


def test_cached_input_dearer_than_other_is_refused() -> None:
    """A reservation would not hold it."""
    with pytest.raises(ValidationError, match="must not cost more"):
        Price(input=1, output=1, cached=2)


def test_a_reservation_has_room_for_the_question_its_schema_and_the_answer() -> None:
    """3/2 of the counter's estimate, 64, and the whole of `max_tokens`."""
    prompt = Prompt("You talk.", "word " * 100, 300)
    estimate = count_tokens("You talk.") + count_tokens("word " * 100)
    assert tokens_to_reserve(prompt) == -(-estimate * 3 // 2) + 64 + 300
    shaped = Prompt("You talk.", "word " * 100, 300, shape=AnswerSchema("v", {"type": "object"}))
    assert tokens_to_reserve(shaped) > tokens_to_reserve(prompt)


@given(st.text(max_size=200), sizes, sizes, sizes)
def test_no_call_within_its_reservation_costs_more_than_was_reserved(
    user: str, asked: int, answered: int, cached: int
) -> None:
    """Whatever part of it was cached."""
    prompt = Prompt("You talk.", user, 1 + answered % 600)
    room = tokens_to_reserve(prompt) - prompt.max_tokens
    used = cost(PRICES, "gpt-4o-mini", asked % (room + 1), answered % prompt.max_tokens, cached)
    assert used <= highest_cost(PRICES, "gpt-4o-mini", prompt)


@given(sizes, sizes, sizes, sizes)
def test_more_never_costs_less(asked: int, answered: int, cached: int, more: int) -> None:
    """Nor do two calls cost less than one of their size."""
    before = cost(PRICES, "gpt-4o-mini", asked, answered, min(cached, asked))
    assert cost(PRICES, "gpt-4o-mini", asked + more, answered + more, min(cached, asked)) >= before
    assert before + cost(PRICES, "gpt-4o-mini", more, 0) >= cost(
        PRICES, "gpt-4o-mini", asked + more, answered, min(cached, asked)
    )
