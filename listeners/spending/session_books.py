"""The log of one session as the ledger of its model calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from parley.bus import Bus, Draft, Receipt
from parley.listeners.cache.memory_reader import MemoryReader
from parley.memory.state.memory import Memory


class Ledger(Protocol):
    """What an account needs of a log: to publish drafts, and the memory of it."""

    async def publish(self, drafts: Sequence[Draft]) -> Sequence[Receipt]: ...

    async def memory(self) -> Memory:
        """The memory of everything acknowledged before the call."""
        ...


@dataclass(frozen=True, slots=True)
class SessionLedger:
    """The ledger of a session on the bus."""

    bus: Bus
    reader: MemoryReader
    session: str

    async def publish(self, drafts: Sequence[Draft]) -> Sequence[Receipt]:
        return await self.bus.publish(self.session, drafts)

    async def memory(self) -> Memory:
        return await self.reader.current(self.session)


async def is_charged(bus: Bus, session: str, memory: Memory) -> bool:
    """`has_budget`, or whether what its tenant spends on models is limited."""
    return has_budget(memory) or (await bus.quota_of(session)).spend is not None


def has_budget(memory: Memory) -> bool:
    """True where the session's model calls come out of a budget, or agents sit in it."""
    budget = memory.settings.budget
    finite = any(limit is not None for limit in (budget.tokens, budget.micros, budget.calls))
    return finite or memory.has_floor
