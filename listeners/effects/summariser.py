"""Summaries and rewritten texts, by a model, or an extract where no model answers.

A summary that wants a model's gets the extract while no model answers, marked as
such. One breaker, one memo and one count of calls for all that a process asks.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import anyio
import anyio.to_thread

from parley.bus import Bus
from parley.bus.connection.event_log import EventLog
from parley.bus.entries import Record, SummaryMade
from parley.listeners.cache.ranges import EntryRange, find_primary_entry, read_range
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.effects.jobs import Job, Result, give_up
from parley.listeners.effects.model_probe import TRIES, does_answer
from parley.listeners.models.answer_memo import AnswerCache
from parley.listeners.models.breaker import Breaker
from parley.listeners.models.call_meter import MeteredModel
from parley.listeners.models.model_port import Model, ModelError, OverBudget, Unfounded
from parley.listeners.spending.accounts import Account
from parley.listeners.spending.charged_model import ChargedModel
from parley.listeners.summaries.extracts import (
    ExtractTerms,
    make_extract,
    message_lines,
    summary_entry,
)
from parley.listeners.summaries.model_summaries import (
    ModelSummary,
    summarise_messages,
    summarise_summaries,
)
from parley.listeners.summaries.unfounded import SummaryGrounds, refuse_unfounded
from parley.memory.settings.setting_defaults import SummaryWish
from parley.memory.state.effects import SummaryEffect
from parley.memory.state.memory import Memory

_Answer = TypeVar("_Answer")

_ON_LOOP: Final = 8_000  # characters of talk that are summed up in some 5 ms
_REMEMBERED: Final = 1_000  # summaries of a model that were refused, and are not asked for anew

log = EventLog("parley.effects")


@dataclass(slots=True)
class EffectTally:
    """What a runner has done since it began; a heartbeat carries it."""

    extracts: int = 0
    models: int = 0
    fallbacks: int = 0
    duplicates: int = 0
    moot: int = 0
    failed: int = 0
    model_calls: int = 0
    model_failures: int = 0
    model_ms: int = 0  # that all calls took together
    memo_hits: int = 0  # answers that were known, and cost no call


@dataclass(frozen=True, slots=True)
class _Failures:
    """How often a model failed at one question in a row, and how it did so last."""

    count: int
    reason: str


@dataclass(frozen=True, slots=True)
class SummaryOrder:
    """The summary that is wanted, as memory had it when the effect was taken."""

    effect: SummaryEffect
    how: SummaryWish
    terms: ExtractTerms
    grounds: SummaryGrounds

    @classmethod
    def of(cls, memory: Memory, effect: SummaryEffect) -> SummaryOrder:
        how = memory.era(effect.last).how
        terms, grounds = ExtractTerms.of(memory, effect), SummaryGrounds.of(memory, effect)
        return cls(effect, how, terms, grounds)

    async def read(self, bus: Bus, session: str, skips: frozenset[int]) -> EntryRange:
        """The entries that the summary is made from, and the last of its range, which made it due.

        Raises `RangeGone`.
        """
        last = await find_primary_entry(bus, session, self.effect.last)
        records = [
            record
            for span in self.terms.spans
            for record in (await read_range(bus, session, *span, skips)).records
        ]
        if last.seq not in skips and (not records or records[-1].n < last.n):
            records.append(last)
        return EntryRange(records, last.identity)


async def _run(make: Callable[[], _Answer], size: int) -> _Answer:
    """What `make` returns; in a thread if it reads more than `_ON_LOOP` characters."""
    return make() if size <= _ON_LOOP else await anyio.to_thread.run_sync(make)


class Summariser:
    """Answers with `model` or, where that is None, by extract; as many at once as `pace` says."""

    def __init__(self, model: Model | None, pace: EffectPace) -> None:
        self._model = None if model is None else MeteredModel(model)
        self._cache = None if self._model is None else AnswerCache(self._model, pace.memo_hours)
        self._breaker = Breaker(pace.first_pause_seconds)
        self._calls = anyio.Semaphore(pace.at_once)
        self._refused: deque[tuple[str, str]] = deque(maxlen=_REMEMBERED)  # session, effect
        self._failed: OrderedDict[tuple[str, str], _Failures] = OrderedDict()
        self._tally = EffectTally()
        self.last_error: ModelError | None = None  # of the newest question; None: it was answered

    @property
    def tally(self) -> EffectTally:
        """What was done so far, the model's part included."""
        if self._model is not None and self._cache is not None:
            meter = self._model.meter
            self._tally.model_calls, self._tally.model_failures = meter.calls, meter.failures
            self._tally.model_ms, self._tally.memo_hits = meter.ms, self._cache.hits
        return self._tally

    @property
    def pause_seconds(self) -> float:
        """For how long no model is asked, after one that did not answer."""
        return self._breaker.seconds_left

    @property
    def has_model(self) -> bool:
        """True where a model would be asked now."""
        return self._model is not None and not self._breaker.seconds_left

    async def summary(
        self,
        session: str,
        order: SummaryOrder,
        entries: EntryRange,
        account: Account | None = None,
        *,
        model_only: bool = False,
    ) -> SummaryMade | None:
        """A model's summary where one is taken and to be had, else the extract.

        None where it is `model_only` and the model failed. `account` pays, where
        the session keeps one.
        """
        effect, terms, records = order.effect, order.terms, entries.records
        if order.how != "extract":
            if self.has_model and (
                answer := await self._ask_for_summary(session, order, entries, account)
            ):
                self._tally.models += 1
                return summary_entry(effect, records, terms, answer.text, answer.model)
            if model_only:
                return None
            self._tally.fallbacks += self._model is not None or order.how == "model"
        self._tally.extracts += 1
        text = await self._extract(order, records)
        return summary_entry(effect, records, terms, text)

    async def _extract(self, order: SummaryOrder, records: Sequence[Record]) -> str:
        """The extract; of much talk in a thread, so that the loop is free meanwhile."""
        make = partial(make_extract, order.effect, records, order.terms)
        size = sum(len(content) for _, content in message_lines(records))
        return await _run(make, size + sum(len(part.text) for part in order.terms.below))

    async def rewrite(
        self, session: str, id: str, job: Job, entries: EntryRange, account: Account | None = None
    ) -> Result | None:
        """The entry that the model makes of `job`, None where it does not answer.

        Never from the cache: a job that asks again wants another answer. If it failed three times
        and the model answers another question, the job is given up.
        """
        if not self.has_model:
            return None
        result = await self._ask(
            session, id, lambda model: job.run(model, entries.records), account, fresh=True
        )
        if result is not None:
            self._tally.models += 1
            return result
        failures = self._failed.get((session, id))
        if failures is None or failures.count < TRIES:
            return None
        given_up = give_up(job, failures.reason)
        if given_up is None or not await does_answer(self._model_for(account, id, fresh=True)):
            return None
        log.warning("job_given_up", session=session, effect=id, reason=failures.reason)
        return given_up

    async def _ask_for_summary(
        self, session: str, order: SummaryOrder, entries: EntryRange, account: Account | None
    ) -> ModelSummary | None:
        """The model's summary, None where it has none to give."""
        terms, words, effect = order.terms, order.terms.words, order.effect
        if (session, effect.id) in self._refused:
            return None  # it would say the same again
        notes = ""
        if effect.level == 0:
            lines = message_lines(entries.records)
            size = sum(len(content) for _, content in lines)
            notes = await _run(partial(terms.notes, entries.records), size)
        else:
            below = partial(terms.texts, entries.records)
            lines = [("", part.text) for part in await anyio.to_thread.run_sync(below)]

        async def summarise(model: Model) -> ModelSummary:
            if effect.level == 0:
                answer = await summarise_messages(model, lines, words, notes)
            else:
                answer = await summarise_summaries(model, [text for _, text in lines], words)
            refuse_unfounded(answer.text, lines, order.grounds)
            return answer

        return await self._ask(session, effect.id, summarise, account)

    async def _ask(
        self,
        session: str,
        id: str,
        call: Callable[[Model], Awaitable[_Answer]],
        account: Account | None,
        *,
        fresh: bool = False,
    ) -> _Answer | None:
        """What the model says, or None when it does not; the breaker learns from either."""
        model = self._model_for(account, id, fresh=fresh)
        try:
            async with self._calls:
                answer = await call(model)
        except OverBudget as error:  # nothing is wrong with the model: it was not asked
            self.last_error = error
            log.info("over_budget", session=session, effect=id, reason=str(error))
            return None
        except ModelError as error:
            if isinstance(error, Unfounded):
                self._refused.append((session, id))
            self.last_error = error
            self._breaker.record_failure(error)
            self._note_failure((session, id), str(error))
            log.warning(
                "model_failed",
                session=session,
                effect=id,
                kind=type(error).__name__,
                reason=str(error),
            )
            return None
        self._breaker.record_success()
        self.last_error = None
        self._failed.pop((session, id), None)
        return answer

    def _note_failure(self, key: tuple[str, str], reason: str) -> None:
        before = self._failed.pop(key, None)
        self._failed[key] = _Failures(1 if before is None else before.count + 1, reason)
        if len(self._failed) > _REMEMBERED:
            self._failed.popitem(last=False)

    def _model_for(self, account: Account | None, call: str, *, fresh: bool) -> Model:
        """The model, charged to `account`; unless `fresh`, a cached answer is free."""
        assert self._model is not None  # noqa: S101 - `has_model` was asked
        assert self._cache is not None  # noqa: S101
        model: Model = self._model if account is None else ChargedModel(self._model, account, call)
        return model if fresh else self._cache.wrap(model)
