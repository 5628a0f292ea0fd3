"""A door of a room through which nothing goes until somebody opens it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from parley.bus import Draft, Receipt
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.rooms.log_port import RedisLog


class SlowDoor(RedisLog):
    """Entries wait at it; `knocked` is set once one does."""

    def __init__(self, reader: MemoryReader, session: str) -> None:
        super().__init__(reader, session)
        self.open, self.knocked = asyncio.Event(), asyncio.Event()

    async def publish(
        self, drafts: Sequence[Draft], epoch: int | None, incarnation: str = ""
    ) -> list[Receipt]:
        self.knocked.set()
        await self.open.wait()
        return await super().publish(drafts, epoch, incarnation)
