"""Have a log in this process read by a model, stretch by stretch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from parley.bus.contract.drafts import Draft, Receipt
from parley.bus.entries import TalkPaused
from parley.bus.log.local_log import LocalLog
from parley.listeners.cache.projection import EntryFacts
from parley.listeners.cache.ranges import EntryRange
from parley.listeners.effects.model_probe import does_answer
from parley.listeners.extraction.extractor import ExtractionJob
from parley.listeners.models.model_port import Model, ModelError, ModelRefused, OverBudget
from parley.listeners.offline.local_effects import read_local_range, settle_log
from parley.listeners.spending.accounts import Account
from parley.listeners.spending.charged_model import ChargedModel
from parley.listeners.spending.prices import Prices
from parley.listeners.spending.session_books import has_budget
from parley.memory.extraction.model_claims.reading_ranges import list_owed_readings
from parley.memory.state.effects import ReadingEffect
from parley.memory.state.memory import Memory


@dataclass(slots=True)
class ExtractionReport:
    """The facts of all that was folded on the way; the stretches left unread, and why."""

    facts: list[EntryFacts] = field(default_factory=list)
    unread: list[tuple[ReadingEffect, str]] = field(default_factory=list)


@dataclass(slots=True)
class LocalTalk:
    """A log in this process, to be read by a model; it is the books of what that spends, too."""

    log: LocalLog
    folded: Memory
    facts: list[EntryFacts] = field(default_factory=list)

    @property
    def session(self) -> str:
        return self.log.session

    async def publish(self, drafts: Sequence[Draft]) -> Sequence[Receipt]:
        return self.log.publish(drafts)

    async def memory(self) -> Memory:
        self.facts += settle_log(self.log, self.folded)
        return self.folded

    async def entries(self, first: int, last: int) -> EntryRange:
        return EntryRange(read_local_range(self.log, first, last), "")

    async def is_paid(self) -> bool:
        return has_budget(self.folded)


async def extract_whole_log(
    log: LocalLog, memory: Memory, model: Model, prices: Prices | None = None
) -> ExtractionReport:
    """Have `model` read all that `memory` is owed a reading of, the last stretch included.

    Its stretches are read in order, so each is shown what earlier ones came to; the last one ends
    as if the talk had paused. One that fails leaves the others; a model that refuses whatever it is
    asked, or a budget that is spent, ends it.
    """
    report = ExtractionReport()
    ledger = LocalTalk(log, memory, report.facts)
    await ledger.memory()
    if memory.claims.begun:
        last = max(memory.claims.heard)
        log.publish([Draft(f"pause:{last}", TalkPaused(paused=last))])
        await ledger.memory()
    account = Account(ledger, prices or {}) if has_budget(memory) else None
    due = list_owed_readings(memory)
    for index, effect in enumerate(due):
        charged = model if account is None else ChargedModel(model, account, effect.id)
        job = ExtractionJob.of(memory, effect)
        try:
            entry = await job.run(charged, read_local_range(log, job.first, job.last))
        except ModelError as error:
            if await _is_end(error, charged):
                report.unread += [(each, str(error)) for each in due[index:]]
                break
            report.unread.append((effect, str(error)))
            continue
        log.publish([Draft(effect.result_id("model"), entry)])
        await ledger.memory()
    return report


async def _is_end(error: ModelError, model: Model) -> bool:
    """True if `model` would fail at the next stretch, too."""
    if isinstance(error, OverBudget):
        return True
    return isinstance(error, ModelRefused) and not await does_answer(model)
