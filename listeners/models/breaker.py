"""A circuit breaker for a model that does not answer."""

from __future__ import annotations

import time
from typing import Final

from parley.listeners.models.model_port import (
    BadAnswer,
    ContextOverflow,
    ModelError,
    ModelUnavailable,
    Unfounded,
)

_BAD_ANSWERS: Final = 3  # in a row: one is bad luck, three are a login page
FIRST_PAUSE_SECONDS: Final = 1.0
LAST_PAUSE_SECONDS: Final = 30.0


class Breaker:
    """Opens on an outage, for a pause that doubles until a call succeeds.

    While it is open nobody waits for the model's deadline: summaries fall back
    at once, and upgrades wait.
    """

    def __init__(self, first_pause_seconds: float = FIRST_PAUSE_SECONDS) -> None:
        self._first = first_pause_seconds
        self._failures = 0
        self._bad_answers = 0
        self._until = 0.0

    @property
    def seconds_left(self) -> float:
        """How long the model is left alone; 0 when it may be asked."""
        return max(0.0, self._until - time.monotonic())

    def record_success(self) -> None:
        """A call was answered as it should be: whatever failed before is forgotten."""
        self._failures = self._bad_answers = 0
        self._until = 0.0

    def record_failure(self, error: ModelError) -> None:
        """A call failed: leave the model alone for longer each time, or as long as it wishes."""
        if isinstance(error, (ContextOverflow, Unfounded)):
            return  # the prompt's fault, or of what was said about it: others may be answered well
        if isinstance(error, BadAnswer):
            self._bad_answers += 1
            if self._bad_answers < _BAD_ANSWERS:
                return
        if self.seconds_left:
            return  # calls that were under way when it opened say nothing new
        wish = error.retry_after if isinstance(error, ModelUnavailable) else None
        pause = min(LAST_PAUSE_SECONDS, self._first * 2 ** min(self._failures, 16))
        self._failures += 1
        self._until = time.monotonic() + max(pause, min(LAST_PAUSE_SECONDS, wish or 0.0))
