"""One participant's access to one session: the bus, the memory, and who publishes.

Everything that a program does in a session without a seat stands on it.
"""

from __future__ import annotations

from dataclasses import dataclass

from parley.bus import Bus, Draft, Receipt
from parley.bus.contract.drafts import new_id
from parley.bus.entries import Entry, Message
from parley.listeners.cache.memory_reader import MemoryReader
from parley.memory.act_targets import needed_target
from parley.memory.state.lookup import target_refusal
from parley.memory.state.memory import Memory


@dataclass(frozen=True, slots=True)
class SessionAccess:
    """`session` as `participant` reads it through `reader` and writes to it.

    Without a participant ("") the session is only read, or spoken in for others.
    """

    reader: MemoryReader
    session: str
    participant: str = ""

    @property
    def bus(self) -> Bus:
        return self.reader.bus

    async def memory(self) -> Memory:
        """The memory of everything acknowledged before the call: read it before the next await."""
        return await self.reader.current(self.session)

    async def check_target(self, message: Message) -> None:
        """Raises `TargetNeeded`, `UnknownRef` or `UnknownMessage` for an act on nothing, and
        `AlreadyDecided`.

        The log takes it, and the fold passes it over: whoever said it would not hear of that.
        """
        if message.act is None:
            return
        if message.re is None and message.act != "decide":
            if (needed := needed_target(message)) is not None:
                raise needed
            return
        if (missing := target_refusal(await self.memory(), message)) is not None:
            raise missing

    async def publish(self, entry: Entry, id: str = "") -> Receipt:
        """Publish `entry` under `id`, or a new one. Raises what `bus.publish` does."""
        (receipt,) = await self.bus.publish(self.session, [Draft(id or new_id(), entry)])
        return receipt
