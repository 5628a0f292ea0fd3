"""How many effects a process answers at once, and for how long it may hold one. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EffectPace:
    """How much is in hand, and for how long; the defaults are those of docs/protocol.md."""

    at_once: int = 4  # calls of the model
    lease_ms: int = 60_000
    idle_seconds: float = 1.0
    memo_hours: float = 24  # that a model's answer is kept for whoever asks the same; 0: none is
    first_pause_seconds: float = 1.0  # of the breaker, after a model that does not answer
