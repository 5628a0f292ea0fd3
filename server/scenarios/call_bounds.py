"""Model calls counted before they are made: how large each may be, and what many come to. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from parley.listeners.spending.prices import FRAME, Prices, cost, price_of


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of call: at most how many, and what they come to. `micros` None: price unknown."""

    purpose: str
    calls: int
    tokens: int
    micros: int | None


@dataclass(frozen=True, slots=True)
class Call:
    """A call as it is reserved for: `size` tokens of question, `out` of answer."""

    model: str
    size: int
    out: int

    @property
    def tokens(self) -> int:
        return -(-self.size * 3 // 2) + FRAME + self.out

    def micros(self, prices: Prices) -> int | None:
        if price_of(prices, self.model) is None:
            return None
        return cost(prices, self.model, self.tokens - self.out, self.out)


def kind_of(purpose: str, calls: Sequence[tuple[Call, int]], prices: Prices) -> Kind:
    """What `calls` come to, each as often as is said."""
    micros = [(call.micros(prices), count) for call, count in calls]
    paid = total(None if cost is None else cost * count for cost, count in micros)
    return Kind(
        purpose=purpose,
        calls=sum(count for _, count in calls),
        tokens=sum(call.tokens * count for call, count in calls),
        micros=paid,
    )


def total(numbers: Iterable[int | None]) -> int | None:
    """The sum; None where one of them is not known."""
    values = list(numbers)
    known = [number for number in values if number is not None]
    return sum(known) if len(known) == len(values) else None
