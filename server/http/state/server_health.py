"""Whether the process lives, and whether it can serve.

It can serve where Redis answers and what is published comes to be remembered: a
server whose workers are all gone takes entries that nobody folds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

import anyio

from parley.bus import Bus
from parley.bus.contract.errors import BusError
from parley.bus.contract.keys import LANES

PATIENCE_SECONDS: Final = 5.0  # that Redis may fail for
ASKING_SECONDS: Final = 2.0  # that one answer may take
KEPT_SECONDS: Final = 1.0  # that a finding is told again without asking
_LATE_MS: Final = 30_000  # age of an entry that should have been folded long ago
_ALIVE_MS: Final = 15_000  # since a worker's last beat


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """What Redis said: workers alive, and how long the oldest fold is due."""

    answered: bool
    workers: int = 0
    oldest_fold_ms: int = 0
    due: Mapping[str, int] = field(default_factory=dict)  # by lane
    repaired: int = 0
    healed: int = 0  # entries that this server gave back to logs that had lost them

    @property
    def is_stalled(self) -> bool:
        return self.oldest_fold_ms > _LATE_MS and not self.workers


class HealthCheck:
    """Asks when it is asked, at most once in `KEPT_SECONDS`."""

    def __init__(self, bus: Bus, clock: Callable[[], float] = time.monotonic) -> None:
        self._bus, self._clock = bus, clock
        self._answered = clock()
        self._asked = float("-inf")
        self._finding = HealthFinding(answered=True)
        self._asking = anyio.Lock()

    async def check(self) -> HealthFinding:
        """What was found last, or now where that is `KEPT_SECONDS` ago; never raises."""
        async with self._asking:
            if self._clock() - self._asked >= KEPT_SECONDS:
                self._finding = await self._look()
                self._asked = self._clock()
                if self._finding.answered:
                    self._answered = self._asked
            return self._finding

    async def reason_unready(self) -> str:
        """Why the server is not ready; "" where it is."""
        finding = await self.check()
        if not finding.answered and self._clock() - self._answered > PATIENCE_SECONDS:
            return "Redis does not answer"
        if finding.is_stalled:
            return "entries wait to be folded, and no worker is at work"
        return ""

    async def _look(self) -> HealthFinding:
        try:
            with anyio.fail_after(ASKING_SECONDS):
                workers = await self._bus.workers()
                oldest = await self._bus.oldest_due_ms("fold")
                due = {lane: await self._bus.due_count(lane) for lane in LANES}
                repaired = await self._bus.repaired_total()
        except (BusError, TimeoutError):
            return HealthFinding(answered=False)
        alive = sum(worker.age_ms < _ALIVE_MS for worker in workers)
        return HealthFinding(True, alive, oldest or 0, due, repaired, self._bus.healed)
