"""Run what memory is owed: the loop of the lanes `effects` and `upgrades`.

`effects` holds what must be done, and what anyone can do: summaries.
`upgrades` holds what only a model can: reflections, shorter forms, better
summaries. A summary of a session that wants a model's is asked of the model; when that
fails, the extract lands in its place, marked as such, and the upgrade of it
falls due for a runner whose model answers again. Several effects are in hand
at once, so a slow one delays nothing else; extracts never wait for a model.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

import structlog

from bus import Bus, Claim, Draft, SessionInfo
from bus.entries import SummaryMade
from bus.errors import Fenced, SessionClosed, SessionNotFound, Unavailable
from bus.tasks import end
from listeners.breaker import Breaker
from listeners.extracts import Lines, Terms, chapters, extracted, lines_of, summary_made
from listeners.jobs import job_for
from listeners.memo import Memo
from listeners.metered import Metered
from listeners.model import Model, ModelError
from listeners.pace import backoff_ms, idle, serve
from listeners.ranges import Passage, RangeGone, passage
from listeners.reader import MemoryReader
from listeners.summarise import Answered, summarise_messages, summarise_summaries
from memory.due import Upgrade, due, upgrade
from memory.errors import DomainError
from memory.items import Effect
from memory.state import Memory, Packs
from memory.summaries import parts

EFFECTS: Final = "effects"
UPGRADES: Final = "upgrades"
SPARE: Final = 4  # effects in hand per model call allowed: extracts pass the ones that wait

_Answer = TypeVar("_Answer")

log = structlog.get_logger("parley.effects")


@dataclass(frozen=True, slots=True)
class EffectPace:
    """How much is in hand, and for how long; the defaults are those of docs/protocol.md."""

    at_once: int = 4  # calls of the model
    lease_ms: int = 60_000
    idle_seconds: float = 1.0
    memo_hours: float = 24  # that a model's answer is kept for whoever asks the same; 0: none is
    first_pause_seconds: float = 1.0  # of the breaker, after a model that does not answer


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


class UnknownEffect(Exception):
    """An effect that this version cannot run: one that a newer worker owes."""


_MEMBER: Final = re.compile(r"\S+ ((summary|note|condense):\S+)")
_SUMMARY: Final = re.compile(r"summary:(\d+):(\d+):(\d+)(?::again(\d+))?")


def effect_id(claim: Claim) -> str:
    """The id of the effect that a member `<session> <effect id>` names; raises `UnknownEffect`."""
    found = _MEMBER.fullmatch(claim.member)
    if found is None:
        raise UnknownEffect("this version does not know it; run the one that owes it")
    return found[1]


def summary_of(id: str) -> Effect | None:
    """The summary that an effect's id names; None where it names something else."""
    found = _SUMMARY.fullmatch(id)
    return None if found is None else Effect(*(int(part or 0) for part in found.groups()))


@dataclass(frozen=True, slots=True)
class _Order:
    """What is wanted, as memory had it when the effect was taken."""

    effect: Effect
    how: Literal["extract", "model"]
    terms: Terms
    lower: list[str]


class EffectRunner:
    """Runs effects until told to stop, with `model` or, where that is None, by extract."""

    def __init__(
        self,
        bus: Bus,
        packs: Packs,
        model: Model | None,
        owner: str,
        pace: EffectPace | None = None,
        reader: MemoryReader | None = None,
    ) -> None:
        self._bus, self._owner = bus, owner
        self._pace = pace or EffectPace()
        self._reader = reader or MemoryReader(bus, packs)
        self._model = None if model is None else Metered(model)
        self._memo = None if self._model is None else Memo(self._model, self._pace.memo_hours)
        self._breaker = Breaker(self._pace.first_pause_seconds)
        self._calls = asyncio.Semaphore(self._pace.at_once)
        self._hands: set[asyncio.Task[None]] = set()
        self._failures: dict[str, int] = {}  # members that failed here, and how often
        self._tally = EffectTally()

    @property
    def tally(self) -> EffectTally:
        """What was done so far, the model's part included."""
        if self._model is not None and self._memo is not None:
            meter = self._model.meter
            self._tally.model_calls, self._tally.model_failures = meter.calls, meter.failures
            self._tally.model_ms, self._tally.memo_hits = meter.ms, self._memo.hits
        return self._tally

    async def run(self, stop: asyncio.Event) -> None:
        """Serve the lanes until `stop` is set; what is in hand then is finished.

        Cancelled, it hands back what it holds, due at once for someone else.
        """
        try:
            await serve(stop, self.round, self._wait)
            await self._drained()
        finally:
            for task in self._hands:
                task.cancel()
            await self._drained()

    async def round(self) -> float:
        """Take what there is room for; the seconds to wait before the next look, else 0."""
        pace = self._pace
        while len(self._hands) >= pace.at_once * SPARE:
            await asyncio.wait(self._hands, return_when=asyncio.FIRST_COMPLETED)
        wait = pace.idle_seconds
        for lane in self._lanes():
            room = (pace.at_once * SPARE if lane == EFFECTS else pace.at_once) - len(self._hands)
            taken = await self._bus.take(lane, self._owner, count=room, lease_ms=pace.lease_ms)
            for claim in taken.claims:
                task = asyncio.create_task(self._in_hand(claim))
                self._hands.add(task)
                task.add_done_callback(self._hands.discard)
            if taken.claims:
                return 0.0
            wait = min(wait, idle(taken.next_ms, pace.idle_seconds))
        return wait

    def _lanes(self) -> list[str]:
        """Where to look now: upgrades only when a model would answer and has a hand free."""
        if self._model_answers() and len(self._hands) < self._pace.at_once:
            return [EFFECTS, UPGRADES]
        return [EFFECTS]

    async def _wait(self, seconds: float) -> None:
        """Until something may have fallen due, a hand is free, or the model may be asked again."""
        pause = self._breaker.seconds_left
        seconds = min(seconds, pause) if pause else seconds
        hint = asyncio.create_task(self._bus.wait_due(self._lanes(), self._owner, seconds))
        try:
            await asyncio.wait([hint, *self._hands], return_when=asyncio.FIRST_COMPLETED)
            if hint.done():
                hint.result()
        finally:
            await end(hint)

    async def _drained(self) -> None:
        if self._hands:
            await asyncio.wait(self._hands)

    def _model_answers(self) -> bool:
        return self._model is not None and not self._breaker.seconds_left

    async def _in_hand(self, claim: Claim) -> None:
        """Run one effect under its lease; what stops it stops no other."""
        try:
            await self._attempt(claim)
        except asyncio.CancelledError:
            with contextlib.suppress(Unavailable):  # the lease brings it back
                await self._bus.release(claim)
            raise
        except Unavailable as error:
            log.warning("redis_unavailable", reason=str(error))  # the lease brings it back

    async def _attempt(self, claim: Claim) -> None:
        """Run the effect; where that fails it waits, or leaves its lane with its session."""
        try:
            async with self._leased(claim):
                await self._run(claim, effect_id(claim))
        except Unavailable:
            raise
        except (Fenced, RangeGone) as error:
            self._reader.forget(claim.session)
            log.warning("effect_outdated", effect=claim.member, why=str(error))
            await self._back_off(claim)
        except SessionNotFound:
            await self._bus.drop(claim)
        except (DomainError, UnknownEffect) as error:
            log.warning("effect_waits", effect=claim.member, why=str(error))
            await self._back_off(claim)
        except Exception:  # a defect: this effect waits, the others go on
            log.exception("effect_failed", effect=claim.member)
            await self._back_off(claim)

    async def _run(self, claim: Claim, id: str) -> None:
        # Asked before anything is read: what a redaction takes away meanwhile lands nowhere.
        info = await self._bus.info(claim.session)
        memory = await self._reader.current(claim.session)
        effect = summary_of(id)
        if effect is not None:
            await self._summarise(claim, info, memory, effect)
        else:
            await self._rewrite(claim, info, memory, upgrade(memory, id))

    async def run_due(self, session: str) -> None:
        """Run what `session` is owed now, and what falls due with that, without a lane.

        The same results under the same ids: a runner that takes one of them as
        well finds it done. Raises what reading and publishing do.
        """
        done: set[str] = set()
        while True:
            before = (await self._bus.info(session)).incarnation
            memory = await self._reader.current(session)
            effect = next(iter(due(memory, 1)), None)
            if effect is None or effect.id in done:  # its result may have been set aside
                return
            done.add(effect.id)
            found = await self._passage(session, effect.first, effect.last)
            made = await self._summary(session, EFFECTS, _order(memory, effect), found)
            if made is None:
                return
            draft = Draft(effect.result_id(made.how), made)
            try:
                await self._bus.publish(session, [draft], incarnation=before)
            except Fenced:
                done.clear()  # redacted meanwhile: what was read is no longer said

    async def _summarise(
        self, claim: Claim, info: SessionInfo, memory: Memory, effect: Effect
    ) -> None:
        if _is_moot(memory, effect, claim.lane):
            await self._drop(claim)
            return
        order = _order(memory, effect)
        found = await self._passage(claim.session, effect.first, effect.last)
        made = await self._summary(claim.session, claim.lane, order, found)
        if made is None:
            await self._back_off(claim)
            return
        await self._finish(claim, info, Draft(effect.result_id(made.how), made), found)

    async def _rewrite(
        self, claim: Claim, info: SessionInfo, memory: Memory, effect: Upgrade | None
    ) -> None:
        """Have the model put a note or a clipped text better."""
        if effect is None:
            await self._drop(claim)
            return
        if not self._model_answers():
            await self._back_off(claim)
            return
        job = job_for(memory, effect)
        found = await self._passage(claim.session, job.first, job.last)
        made = await self._ask(
            claim.session, effect.id, lambda model: job.run(model, found.records), fresh=True
        )
        if made is None:
            await self._back_off(claim)
            return
        self._tally.models += 1
        await self._finish(claim, info, Draft(effect.result_id("model"), made), found)
        if made.kind == "note.refused" and made.aborted:
            reason = f"the notebook of {made.participant!r} could not be rewritten"
            with contextlib.suppress(SessionClosed):  # another notebook's end was sooner
                await self._bus.close(claim.session, reason, by="parley")

    async def _passage(self, session: str, first: int, last: int) -> Passage:
        skips = frozenset((await self._bus.info(session)).skips)
        return await passage(self._bus, session, first, last, skips)

    async def _finish(self, claim: Claim, info: SessionInfo, draft: Draft, found: Passage) -> None:
        receipt = await self._bus.finish(
            claim, claim.session, draft, found.identity, incarnation=info.incarnation
        )
        self._failures.pop(claim.member, None)
        self._tally.duplicates += receipt.duplicate

    async def _drop(self, claim: Claim) -> None:
        self._tally.moot += 1
        await self._bus.drop(claim)

    async def _summary(
        self, session: str, lane: str, order: _Order, found: Passage
    ) -> SummaryMade | None:
        """A model's summary where one is wanted and to be had, else the extract.

        None where only a model's would do and it failed.
        """
        effect, lines = order.effect, lines_of(found.records)
        if order.how == "model":
            if self._model_answers() and (answer := await self._asked(session, order, lines)):
                self._tally.models += 1
                return summary_made(effect, lines, answer.text, answer.model)
            if lane == UPGRADES:
                return None
            self._tally.fallbacks += 1
        self._tally.extracts += 1
        return summary_made(effect, lines, extracted(effect, lines, order.terms))

    async def _asked(self, session: str, order: _Order, lines: Lines) -> Answered | None:
        """The model's summary, None where it has none to give."""
        words = order.terms.words
        if order.effect.level == 0:
            return await self._ask(
                session, order.effect.id, lambda model: summarise_messages(model, lines, words)
            )
        texts = order.lower or chapters(lines, order.terms)
        return await self._ask(
            session, order.effect.id, lambda model: summarise_summaries(model, texts, words)
        )

    async def _ask(
        self,
        session: str,
        id: str,
        call: Callable[[Model], Awaitable[_Answer]],
        *,
        fresh: bool = False,
    ) -> _Answer | None:
        """What the model says, or None when it does not; the breaker learns from either.

        `fresh`: not what it said before; a job that asks again wants another answer.
        """
        model: Model | None = self._model if fresh else self._memo
        assert model is not None  # noqa: S101 - `_model_answers` was asked
        try:
            async with self._calls:
                answer = await call(model)
        except ModelError as error:
            self._breaker.failed(error)
            log.warning(
                "model_failed",
                session=session,
                effect=id,
                kind=type(error).__name__,
                reason=str(error),
            )
            return None
        self._breaker.worked()
        return answer

    async def _back_off(self, claim: Claim) -> None:
        self._tally.failed += 1
        failures = self._failures[claim.member] = self._failures.get(claim.member, 0) + 1
        await self._bus.fail(claim, backoff_ms(failures))

    @asynccontextmanager
    async def _leased(self, claim: Claim) -> AsyncIterator[None]:
        """Keep the lease while inside. Losing it ends nothing: the first result stands."""
        task = asyncio.create_task(self._renew(claim))
        try:
            yield
        finally:
            await end(task)

    async def _renew(self, claim: Claim) -> None:
        while True:
            await asyncio.sleep(self._pace.lease_ms / 3000)
            try:
                if not await self._bus.renew(claim, self._pace.lease_ms):
                    return
            except Unavailable as error:
                log.warning("redis_unavailable", reason=str(error))


def _order(memory: Memory, effect: Effect) -> _Order:
    wanted = memory.era(effect.last).how
    return _Order(effect, wanted, Terms.of(memory, effect), _lower(memory, effect))


def _is_moot(memory: Memory, effect: Effect, lane: str) -> bool:
    """True when nobody waits for `effect` any more: it was answered, or its range let go."""
    key = (effect.level, effect.first)
    standing = memory.summaries.get(key)
    if standing is not None and (lane == EFFECTS or standing.how == "model"):
        return True
    held = memory.ranges.get(key)
    return held is None or held.last != effect.last


def _lower(memory: Memory, effect: Effect) -> list[str]:
    """The standing summaries below `effect`, oldest first; empty where any is gone."""
    below = parts(memory, effect.level, effect.first)
    standing = [memory.summaries.get(part.key) for part in below]
    return [text.text for text in standing if text is not None] if all(standing) else []
