"""How long a call of a model may take: the setting, and what its endpoint was seen to take."""

from __future__ import annotations

from collections import deque
from typing import Final

from parley.bus.entries import LONGEST_ANSWER_MS, Purpose

MEASURED: Final = 3  # answers that say how fast an endpoint is; fewer say nothing
REMEMBERED: Final = 8
TIMES: Final = 4  # the slowest of those remembered: a later question is longer, a server busier
SPARE: Final = 1.1  # for what comes before the call and after it: two entries of the log


class Patience:
    """`most` seconds a call, and less where answers for the same purpose came sooner.

    A call that was late counts as one that took `most`, so the next ones have all of it.
    """

    def __init__(self, most: float) -> None:
        self.most = most
        self._taken: dict[Purpose, deque[float]] = {}

    @property
    def answer_ms(self) -> int:
        """How long a seat is given to answer whose words come from such calls."""
        return min(LONGEST_ANSWER_MS, round(self.most * 1000 * SPARE))

    def seconds(self, purpose: Purpose, least: float) -> float:
        """How long the next such call may take; `least` is what the session gives anyway."""
        taken = self._taken.get(purpose, ())
        if len(taken) < MEASURED:
            return max(least, self.most)
        return max(least, min(self.most, TIMES * max(taken)))

    def record(self, purpose: Purpose, seconds: float) -> None:
        """A call was answered after `seconds`."""
        self._taken.setdefault(purpose, deque(maxlen=REMEMBERED)).append(seconds)

    def record_late(self, purpose: Purpose) -> None:
        """A call was not answered in time."""
        self.record(purpose, self.most)
