"""What model calls cost: known prices, and the most that a call may come to. Pure.

Money is counted in micros, millionths of the currency, and a price is what a
million tokens cost: a dollar a million tokens is 1,000,000. So every sum is one
of integers, rounded up once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, model_validator

from parley.listeners.models.model_port import Prompt
from parley.memory.text.text_sizes import count_tokens

FRAME: Final = 64  # tokens of what a provider puts around two messages and a schema
_DATED: Final = re.compile(r"[-@:](?:\d{4}[\d-]*|latest)$")  # gpt-4o-2024-08-06 is gpt-4o


class Price(BaseModel):
    """Micros for a million tokens; input served from the provider's cache as `cached`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: int = Field(ge=0)
    output: int = Field(ge=0)
    cached: int | None = Field(None, ge=0)  # None: as input

    @model_validator(mode="after")
    def _cached_is_no_dearer(self) -> Self:
        if self.cached is not None and self.cached > self.input:
            raise ValueError("cached input must not cost more than other input")
        return self


Prices = Mapping[str, Price]  # by model, or by tier
FREE: Final = Price(input=0, output=0)


def price_of(prices: Prices, model: str) -> Price | None:
    """The price of `model`, of the model of which it is a dated version, or None."""
    return prices.get(model) or prices.get(_DATED.sub("", model))


def cost(
    prices: Prices, model: str, input_tokens: int, output_tokens: int, cached_tokens: int = 0
) -> int:
    """What a call came to in micros, rounded up; 0 for a model without a price."""
    price = price_of(prices, model) or FREE
    cached = min(cached_tokens, input_tokens)
    at = price.input if price.cached is None else price.cached
    total = (input_tokens - cached) * price.input + cached * at + output_tokens * price.output
    return -(-total // 1_000_000)


def by_tier(prices: Prices, small: str, large: str) -> Prices:
    """`prices` with the tiers at those of their models, and the models at those of their tiers."""
    known = dict(prices)
    for tier, model in (("small", small), ("large", large)):
        price = known.get(tier) or price_of(known, model)
        if price is not None:
            known.setdefault(tier, price)
            known.setdefault(model, price)
    return known


def tokens_to_reserve(prompt: Prompt) -> int:
    """The tokens that `prompt` and its answer may come to.

    Half as many again as the counter's estimate of the question: the counter is
    no model's own, and reads lines of chat a fifth too low (docs/decisions/0012).
    """
    return _question_tokens(prompt) + prompt.max_tokens


def highest_cost(prices: Prices, model: str, prompt: Prompt) -> int:
    """The micros that a reservation for `prompt` is to hold."""
    return cost(prices, model, _question_tokens(prompt), prompt.max_tokens)


def _question_tokens(prompt: Prompt) -> int:
    estimate = count_tokens(prompt.system) + count_tokens(prompt.user)
    if prompt.shape is not None:  # endpoints show it to the model
        estimate += count_tokens(orjson.dumps(prompt.shape.schema).decode())
    return -(-estimate * 3 // 2) + FRAME
