"""One session as a participant's program sees it: say, hear, remember.

    talk = Deliberation(bus, packs, "demo")
    await talk.add_message("ada", "I propose we meet on Fridays.")
    print((await talk.get_memory_context("bob")).text)

Memory is updated before a listener hears a message: `messages` yields one only
after the memory that `get_memory_context` reads has folded it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from ulid import ULID

from parley.bus import Bus, Cursor, Draft, Receipt
from parley.bus.contract.errors import SessionNotFound
from parley.bus.entries import Act, Message, Record
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.cache.ranges import read_pages
from parley.listeners.effects.inline_summaries import InlineSummaries
from parley.listeners.models.model_port import Model
from parley.memory.context.context import Context
from parley.memory.errors import SnapshotMismatch
from parley.memory.fold.canonical_bytes import checksum, dump
from parley.memory.state.memory import Packs


@dataclass(frozen=True, slots=True)
class State:
    """A session as it can be kept: its log in full, and the memory that must come of it."""

    session: str
    records: tuple[Record, ...]
    memory: bytes  # canonical
    checksum: str


class Deliberation:
    """The verbs of a conversation with a memory, on one session of a bus.

    `reader` may be shared by all the sessions of a process. `model` is who words the
    summaries that are made inline; None: they are extracts.
    """

    def __init__(
        self,
        bus: Bus,
        packs: Packs,
        session: str,
        reader: MemoryReader | None = None,
        model: Model | None = None,
    ) -> None:
        self._bus, self._session = bus, session
        self._reader = reader or MemoryReader(bus, packs)
        self._inline = InlineSummaries(bus, session, self._reader, model)

    async def add_message(
        self,
        participant: str,
        content: str,
        *,
        act: Act | None = None,
        re: int | str | None = None,
        topic: str | None = None,
        at: str | None = None,
        id: str | None = None,
    ) -> Receipt:
        """Say something. With an `id` of your own, saying it again changes nothing.

        Returns at once; where the session's `summary.strategy` is inline, when the
        summaries that this made due are made. Raises what `bus.publish` does.
        """
        entry = Message(
            participant=participant, content=content, act=act, re=re, topic=topic, at=at
        )
        (receipt,) = await self._bus.publish(self._session, [Draft(id or str(ULID()), entry)])
        await self._inline.settle()
        return receipt

    async def messages(self, after: Cursor | int | None = None) -> AsyncIterator[Record]:
        """Messages as they come, each once memory has folded it; None: from now on."""
        async with self._bus.subscribe(self._session, after=after, facts=False) as heard:
            async for item in heard:
                if isinstance(item, Record) and item.entry.kind == "message":
                    await self._reader.current(self._session)
                    yield item

    async def get_memory_context(
        self, participant: str | None = None, *, budget: int | None = None, at: int | None = None
    ) -> Context:
        """The full context for `participant` to speak from, now or after entry `at`."""
        return await self._reader.context(self._session, participant, budget=budget, at=at)

    async def get_eval_memory_context(
        self, participant: str | None = None, *, budget: int | None = None
    ) -> Context:
        """The brief context, for deciding whether to speak at all."""
        return await self._reader.context(
            self._session, participant, profile="brief", budget=budget
        )

    async def get_recent_messages(self, count: int = 15) -> list[Record]:
        """The newest `count` messages, oldest first."""
        return await self._reader.recent(self._session, count)

    async def get_memory_state(self) -> State:
        """Everything that `restore_memory` needs, as of now."""
        records = [record async for page in read_pages(self._bus, self._session) for record in page]
        if not records:
            raise SessionNotFound(self._session)
        data = dump(await self._reader.folded(self._session, to=records[-1].seq))
        return State(self._session, tuple(records), data, checksum(data))

    async def restore_memory(self, state: State, *, replace: bool = False) -> None:
        """Write `state` back under this session's name, by replaying its log.

        Raises `SessionExists` unless the session is new or `replace` is given,
        and `SnapshotMismatch` where the replay is not the memory that was saved.
        """
        await self._bus.restore(self._session, list(state.records), replace=replace)
        self._reader.forget(self._session)
        data = dump(await self._reader.folded(self._session, to=state.records[-1].seq))
        if checksum(data) != state.checksum:
            raise SnapshotMismatch(
                f"{self._session!r} was restored, but its replay is not the memory that was "
                "saved; the state was altered, or another version of parley wrote it"
            )
