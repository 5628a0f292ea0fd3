"""A model of the program's own that reads the talk, if no worker with a model does.

It is the reading of the workers: the stretches that memory owes, one after the other, by
`ExtractionJob` under the `Summariser`'s breaker and tries. What it read is an entry of the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import anyio

from parley.bus import Bus, Draft, Receipt
from parley.bus.connection.event_log import EventLog
from parley.bus.contract.errors import Busy, Fenced, SessionClosed
from parley.bus.entries import ItemsExtracted, TalkPaused
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.cache.ranges import EntryRange, RangeGone, read_range
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.effects.jobs import job_for
from parley.listeners.effects.model_probe import TRIES
from parley.listeners.effects.summariser import Summariser
from parley.listeners.models.model_port import Model, OverBudget
from parley.listeners.spending.accounts import Account
from parley.listeners.spending.session_books import is_charged
from parley.memory.errors import SettingsRefused
from parley.memory.extraction.model_claims.reading_ranges import list_owed_readings
from parley.memory.state.effects import ReadingEffect
from parley.memory.state.memory import Memory

log = EventLog("parley.reading")


class Unread(NamedTuple):
    """Messages `first`..`last` that were not read, and why."""

    first: int
    last: int
    why: str


@dataclass(slots=True)
class ReadingReport:
    """What a model read: stretches of the talk, items that it claims, and what that took.

    Tokens are the model's own count, or Parley's where it gives none. `unread` are the stretches
    that it was asked about and did not read; the next `read` asks again, unless it was given up.
    `refused` are the rows of its answers that could not be taken over: all of a garbled answer.
    """

    stretches: int = 0
    claims: int = 0
    refused: int = 0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    unread: list[Unread] = field(default_factory=list)

    def add(self, entry: ItemsExtracted) -> None:
        """Count what one entry says of one stretch."""
        if entry.refused and not entry.calls:  # it was given up
            self.unread.append(Unread(entry.first, entry.last, entry.refused[0].row))
            return
        self.stretches += 1
        self.claims += len(entry.claims)
        self.refused += len(entry.refused)
        self.calls += entry.calls
        self.input_tokens += entry.input_tokens
        self.output_tokens += entry.output_tokens


class ReadableTalk(Protocol):
    """A log as whoever reads it needs it; it is its own ledger of what calls cost."""

    @property
    def session(self) -> str: ...

    async def memory(self) -> Memory:
        """The memory of everything acknowledged before the call."""
        ...

    async def publish(self, drafts: Sequence[Draft]) -> Sequence[Receipt]: ...

    async def entries(self, first: int, last: int) -> EntryRange:
        """Primary entries `first`..`last` (closed, in n); what is published next rests on them."""
        ...

    async def is_paid(self) -> bool:
        """True if calls come out of a budget."""
        ...


class SessionTalk:
    """A session on the bus as a `ReadableTalk`."""

    def __init__(self, bus: Bus, reader: MemoryReader, session: str) -> None:
        self._bus, self._reader, self.session = bus, reader, session
        self._incarnation = ""

    async def memory(self) -> Memory:
        return await self._reader.current(self.session)

    async def publish(self, drafts: Sequence[Draft]) -> Sequence[Receipt]:
        return await self._bus.publish(self.session, drafts, incarnation=self._incarnation)

    async def entries(self, first: int, last: int) -> EntryRange:
        info = await self._bus.info(self.session)
        self._incarnation = info.incarnation  # what a redaction takes away meanwhile lands nowhere
        return await read_range(self._bus, self.session, first, last, frozenset(info.skips))

    async def is_paid(self) -> bool:
        return await is_charged(self._bus, self.session, await self.memory())


class TalkReader:
    """Asks `model` to read the stretches of a talk that were not read so far."""

    def __init__(self, model: Model, pace: EffectPace | None = None) -> None:
        self._summariser = Summariser(model, pace or EffectPace())
        self._one = anyio.Lock()  # stretches are read in order: each is shown what came before

    def may_read(self, memory: Memory) -> bool:
        """True if a stretch is owed and the model is not left alone after a failure."""
        return self._summariser.has_model and bool(memory.claims.owed)

    async def read_all(self, talk: ReadableTalk) -> ReadingReport:
        """Read what was not read so far, to the newest message, as if the talk had paused there.

        A stretch that fails is asked about three times; then it is given up if the model answers
        another question, and otherwise it waits. Raises `SettingsRefused` for a talk that no model
        is to read. Of two calls at once the second waits for the first.
        """
        async with self._one:
            memory = await talk.memory()
            if not memory.is_read and not memory.claims.owed:
                raise SettingsRefused(
                    "extract.how",
                    "it is not 'model' in this session, so no model reads what is said",
                )
            if memory.claims.begun and memory.closed is None:
                last = max(memory.claims.heard)
                await talk.publish([Draft(f"pause:{last}", TalkPaused(paused=last))])
            return await self._read_stretches(talk, TRIES)

    async def read_owed(self, talk: ReadableTalk) -> ReadingReport:
        """Read the stretches that are closed by now, in order, until one fails."""
        async with self._one:
            return await self._read_stretches(talk, 1)

    async def _read_stretches(self, talk: ReadableTalk, tries: int) -> ReadingReport:
        report = ReadingReport()
        while effect := next(iter(list_owed_readings(await talk.memory())), None):
            try:
                entry = await self._read(talk, effect, tries)
                if entry is None:
                    break
                (receipt,) = await talk.publish([Draft(effect.result_id("model"), entry)])
            except (Fenced, RangeGone, Busy, SessionClosed) as error:
                log.warning("reading_waits", session=talk.session, why=str(error))
                report.unread.append(Unread(effect.first, effect.last, str(error)))
                return report
            if not receipt.duplicate:  # else another reader was faster, and its answer counts
                report.add(entry)
        why = str(self._summariser.last_error or "the model is left alone for a while")
        report.unread += [
            Unread(left.first, left.last, why) for left in list_owed_readings(await talk.memory())
        ]
        return report

    async def _read(
        self, talk: ReadableTalk, effect: ReadingEffect, tries: int
    ) -> ItemsExtracted | None:
        """What the model claims of one stretch; None if it does not answer."""
        job = job_for(await talk.memory(), effect)
        entries = await talk.entries(job.first, job.last)
        account = Account(talk, {}) if await talk.is_paid() else None  # knows no prices
        for _ in range(tries):
            await anyio.sleep(self._summariser.pause_seconds)
            result = await self._summariser.rewrite(talk.session, effect.id, job, entries, account)
            if isinstance(result, ItemsExtracted):
                return result
            if isinstance(self._summariser.last_error, OverBudget):
                break
        return None
