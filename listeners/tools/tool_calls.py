"""Calls of tools that others have under way: waited for, or taken over."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, cast

import anyio

from parley.bus import Bus, Draft
from parley.bus.contract.errors import Conflict
from parley.bus.contract.wire import decode, encode
from parley.bus.entries import Record, ToolCalled, ToolReturned
from parley.memory.exchanges.tool_keys import cache_key

TURNS: Final = 5  # others that may fail before us until we run it whoever else does


@dataclass(frozen=True, slots=True)
class SharedCall:
    """Waits in `session` for what others' calls return, `seconds` for each of them."""

    bus: Bus
    session: str
    seconds: float

    async def returned(self, call_id: str, asked: ToolCalled, after: int) -> Record | None:
        """What the call under way returned, or another that took its place.

        None where it is `asked` that does: nothing came in time, and of those who
        waited it was the first to say so.
        """
        key = call_key(asked)
        name = blake2b(call_id.encode(), digest_size=8).hexdigest()
        for turn in range(TURNS):
            record = await self._heard(call_id, key, after)
            if record is not None:
                return record
            draft = Draft(f"takeover:{name}:{turn}", asked)
            try:
                await self.bus.publish(self.session, [draft])
            except Conflict:  # somebody else's now: its deadline begins
                continue
            return None
        return None

    async def _heard(self, call_id: str, key: str | None, after: int) -> Record | None:
        """What that call, or another of the same key, returned after entry `after`.

        None where nothing came in time.
        """
        with anyio.move_on_after(self.seconds):
            async with self.bus.subscribe(self.session, after=after, facts=False) as subscription:
                async for record in subscription:
                    if isinstance(record, Record) and record.entry.kind == "tool.returned":
                        entry = cast("ToolReturned", record.entry)
                        if entry.call_id == call_id or (
                            may_be_shared(entry) and call_key(entry) == key
                        ):
                            return record
        return None


def may_be_shared(entry: ToolReturned) -> bool:
    """Whether it serves others too: it did not fail, and its tool changes nothing."""
    return entry.ok and entry.read_only


def call_key(entry: ToolCalled | ToolReturned) -> str | None:
    """The key as the fold has it: of the arguments that a reader of the log sees."""
    read = cast("ToolCalled", decode(encode(entry)))
    return cache_key(read.tool, read.version, read.arguments)
