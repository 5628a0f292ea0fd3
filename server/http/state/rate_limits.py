"""Rates: a token bucket for each caller."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from parley.server.settings.serve_settings import ServeSettings

Kind = Literal["publish", "read", "frame", "bytes", "login", "nobody"]
KEPT: Final = 10_000
_BURST_SECONDS: Final = 4  # of its rate that a bucket holds
OPERATORS: Final = 10  # times the rate
_LOGINS: Final = 10  # a minute, and at once
_NOBODYS: Final = 10  # requests a second without a token


@dataclass(slots=True)
class TokenBucket:
    """`level` of `size`, filled at `rate` a second; it may owe what one large request took."""

    rate: float
    size: float
    level: float
    at: float

    def take(self, cost: float, now: float) -> float:
        """Seconds to wait before `cost` may be had; 0 takes it."""
        passed = max(0.0, now - self.at)
        self.at, self.level = now, min(self.size, self.level + passed * self.rate)
        lacking = min(cost, self.size - 1) - self.level  # less the 1 that its request took
        if lacking > 1e-9:
            return lacking / self.rate
        self.level -= cost
        return 0.0


class RateLimits:
    """`take` says how long to wait. Keys are a token's `jti`, or an address."""

    def __init__(self, serve: ServeSettings, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._buckets: OrderedDict[tuple[str, str, bool], TokenBucket] = OrderedDict()
        self._rates: dict[Kind, tuple[float, float]] = {
            "publish": (serve.rate, serve.rate * _BURST_SECONDS),
            "read": (serve.reads, serve.reads * _BURST_SECONDS),
            "frame": (serve.rate + serve.reads, (serve.rate + serve.reads) * _BURST_SECONDS),
            "bytes": (serve.body_bytes, serve.body_bytes * _BURST_SECONDS),
            "login": (_LOGINS / 60, _LOGINS),
            "nobody": (_NOBODYS, _NOBODYS * _BURST_SECONDS),
        }

    def take(self, key: str, kind: Kind, cost: int = 1, *, operator: bool = False) -> float:
        """Seconds to wait before `cost` may be had; 0 takes it.

        What costs more than a full bucket holds is had of a full one, which then owes the rest.
        """
        if cost <= 0:
            return 0.0
        now, name = self._clock(), (key, kind, operator)
        bucket = self._buckets.get(name)
        if bucket is None:
            rate, size = self._rates[kind]
            times = OPERATORS if operator else 1
            bucket = TokenBucket(rate * times, size * times, size * times, now)
            self._buckets[name] = bucket
            if len(self._buckets) > KEPT:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(name)
        return bucket.take(cost, now)
