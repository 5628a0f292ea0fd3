"""Rates: a token bucket for each caller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from server.settings_serve import ServeSettings

Kind = Literal["publish", "read", "login"]
KEPT: Final = 10_000


class Buckets:
    """`take` says how long to wait. Keys are a token's `jti`, or an address."""

    def __init__(self, serve: ServeSettings, clock: Callable[[], float]) -> None:
        self._serve, self._clock = serve, clock

    def take(self, key: str, kind: Kind, cost: int = 1, *, operator: bool = False) -> float:
        """Seconds to wait before `cost` may be had; 0 takes it."""
        raise NotImplementedError
