"""Have a log in this process read by a model, stretch by stretch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from parley.bus.contract.drafts import Draft, Receipt
from parley.bus.entries import SettingsChanged
from parley.bus.log.local_log import LocalLog
from parley.listeners.cache.projection import Found
from parley.listeners.extraction.extractor import Extracting
from parley.listeners.models.model_port import Model, ModelError, ModelRefused, OverBudget
from parley.listeners.offline.local_effects import passage, settle
from parley.listeners.spending.accounts import Account
from parley.listeners.spending.charged_model import Charged
from parley.listeners.spending.prices import Prices
from parley.listeners.spending.session_books import keeps_books
from parley.memory.extraction.model_claims.reading_ranges import list_owed_readings
from parley.memory.state.effects import ReadingEffect
from parley.memory.state.memory import Memory

_END = "extract-end"  # the id of the entry that ends the last stretch


@dataclass(slots=True)
class ReadThrough:
    """What was found on the way, and the stretches that no model read, with the reason."""

    found: list[Found] = field(default_factory=list)
    unread: list[tuple[ReadingEffect, str]] = field(default_factory=list)


@dataclass(slots=True)
class _Books:
    """A log in this process as the books of what is spent."""

    log: LocalLog
    held: Memory
    found: list[Found]

    async def publish(self, drafts: Sequence[Draft]) -> Sequence[Receipt]:
        return self.log.publish(drafts)

    async def memory(self) -> Memory:
        self.found += settle(self.log, self.held)
        return self.held


async def read_through(
    log: LocalLog, memory: Memory, model: Model, prices: Prices | None = None
) -> ReadThrough:
    """Have `model` read all that `memory` is owed a reading of, the last stretch included.

    One that fails leaves the others; a model that refuses for good, or a budget
    that is spent, ends it. Nothing is asked twice but by the reading itself.
    """
    done = ReadThrough()
    books = _Books(log, memory, done.found)
    log.publish([Draft(_END, SettingsChanged(settings={"extract": {"how": "none"}}))])
    await books.memory()
    account = Account(books, prices or {}) if keeps_books(memory) else None
    waiting = list_owed_readings(memory)
    for index, effect in enumerate(waiting):
        asked = model if account is None else Charged(model, account, effect.id)
        job = Extracting.of(memory, effect)
        try:
            made = await job.run(asked, passage(log, job.first, job.last))
        except ModelError as error:
            gone = waiting[index:] if isinstance(error, ModelRefused | OverBudget) else [effect]
            done.unread += [(one, str(error)) for one in gone]
            if len(gone) > 1 or gone[-1] is waiting[-1]:
                break
            continue
        log.publish([Draft(effect.result_id("model"), made)])
        await books.memory()
    return done
