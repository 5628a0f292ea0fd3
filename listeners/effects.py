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
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import structlog

from bus import Bus, Claim, Draft, SessionInfo
from bus.errors import Fenced, SessionNotFound, Unavailable
from bus.tasks import end
from listeners.compare import Comparer, Comparing
from listeners.jobs import job_for
from listeners.models.accounts import Account
from listeners.models.books import SessionBooks, keeps_books
from listeners.models.embedding import Embedder
from listeners.models.port import Model
from listeners.models.prices import Prices
from listeners.pace import backoff_ms, idle, serve
from listeners.ranges import Passage, RangeGone, passage
from listeners.reader import MemoryReader
from listeners.reflect import abort_run
from listeners.summariser import EffectTally, Order, Summariser
from memory.due import Upgrade, upgrade
from memory.effects import Compare, Effect
from memory.errors import DomainError
from memory.state import Memory, Packs

EFFECTS: Final = "effects"
UPGRADES: Final = "upgrades"
SPARE: Final = 4  # effects in hand per model call allowed: extracts pass the ones that wait

log = structlog.get_logger("parley.effects")


@dataclass(frozen=True, slots=True)
class EffectPace:
    """How much is in hand, and for how long; the defaults are those of docs/protocol.md."""

    at_once: int = 4  # calls of the model
    lease_ms: int = 60_000
    idle_seconds: float = 1.0
    memo_hours: float = 24  # that a model's answer is kept for whoever asks the same; 0: none is
    first_pause_seconds: float = 1.0  # of the breaker, after a model that does not answer


@dataclass(frozen=True, slots=True)
class _State:
    """A session as it was when an effect was taken up; `account` pays, where it keeps one."""

    info: SessionInfo
    memory: Memory
    account: Account | None


class UnknownEffect(Exception):
    """An effect that this runner cannot run: one that a newer worker owes, or an embedder's."""


_MEMBER: Final = re.compile(r"\S+ ((summary|note|condense|extract|similarity):\S+)")
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


class EffectRunner:
    """Runs effects until told to stop, with `model` or, where that is None, by extract."""

    def __init__(
        self,
        bus: Bus,
        packs: Packs,
        model: Model | None,
        owner: str,
        pace: EffectPace | None = None,
        prices: Prices | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self._bus, self._owner, self._prices = bus, owner, prices or {}
        self._pace = pace or EffectPace()
        self._reader = MemoryReader(bus, packs)
        self._summariser = Summariser(
            model,
            at_once=self._pace.at_once,
            memo_hours=self._pace.memo_hours,
            first_pause_seconds=self._pace.first_pause_seconds,
        )
        pause = self._pace.first_pause_seconds
        self._comparer = None if embedder is None else Comparer(embedder, pause)
        self._hands: set[asyncio.Task[None]] = set()
        self._failures: dict[str, int] = {}  # members that failed here, and how often

    @property
    def tally(self) -> EffectTally:
        """What was done so far."""
        return self._summariser.tally

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
        asks = self._summariser.has_model or (self._comparer and self._comparer.is_ready)
        if asks and len(self._hands) < self._pace.at_once:
            return [EFFECTS, UPGRADES]
        return [EFFECTS]

    async def _wait(self, seconds: float) -> None:
        """Until something may have fallen due, a hand is free, or the model may be asked again."""
        pause = self._summariser.pause_seconds
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
        state = _State(info, memory, self._account(claim.session, memory))
        if state.account is not None and memory.closed is not None and claim.lane == UPGRADES:
            await self._drop(claim, state)  # what was closed spends nothing more
            return
        effect = summary_of(id)
        if effect is not None:
            await self._summarise(claim, state, effect)
        else:
            await self._rewrite(claim, state, upgrade(memory, id))

    def _account(self, session: str, memory: Memory) -> Account | None:
        if not keeps_books(memory):
            return None
        return Account(SessionBooks(self._bus, self._reader, session), self._prices)

    async def _summarise(self, claim: Claim, state: _State, effect: Effect) -> None:
        if _is_moot(state.memory, effect, claim.lane):
            await self._drop(claim, state)
            return
        order = Order.of(state.memory, effect)
        found = await self._passage(claim.session, effect.first, effect.last)
        made = await self._summariser.summary(
            claim.session, order, found, state.account, model_only=claim.lane == UPGRADES
        )
        if made is None:
            await self._back_off(claim)
            return
        await self._finish(claim, state, Draft(effect.result_id(made.how), made), found)

    async def _rewrite(self, claim: Claim, state: _State, effect: Upgrade | None) -> None:
        """Have the model put a note or a clipped text better."""
        if effect is None:
            await self._drop(claim, state)
            return
        if isinstance(effect, Compare):
            await self._compare(claim, state, effect)
            return
        job = job_for(state.memory, effect)
        found = await self._passage(claim.session, job.first, job.last)
        made = await self._summariser.rewritten(claim.session, effect.id, job, found, state.account)
        if made is None:
            await self._back_off(claim)
            return
        await self._finish(claim, state, Draft(effect.result_id("model"), made), found)
        if made.kind == "note.refused" and made.aborted:
            await abort_run(self._bus, claim.session, made.participant)

    async def _compare(self, claim: Claim, state: _State, effect: Compare) -> None:
        """Have the embedder say which earlier proposal a new one repeats."""
        if self._comparer is None:
            raise UnknownEffect("this runner has no embedding model; set model_embedding")
        job = Comparing.of(state.memory, effect)
        made = await self._comparer.compared(claim.session, job, state.account)
        if made is None:
            await self._back_off(claim)
            return
        found = await self._passage(claim.session, effect.of, effect.of)
        await self._finish(claim, state, Draft(effect.result_id("embedding"), made), found)

    async def _passage(self, session: str, first: int, last: int) -> Passage:
        skips = frozenset((await self._bus.info(session)).skips)
        return await passage(self._bus, session, first, last, skips)

    async def _finish(self, claim: Claim, state: _State, draft: Draft, found: Passage) -> None:
        incarnation = state.info.incarnation
        receipt = await self._bus.finish(
            claim, claim.session, draft, found.identity, incarnation=incarnation
        )
        self._failures.pop(claim.member, None)
        self.tally.duplicates += receipt.duplicate

    async def _drop(self, claim: Claim, state: _State) -> None:
        """Let go of an effect that nobody waits for, with what somebody reserved for it."""
        if state.account is not None:
            await state.account.abandon(effect_id(claim))
        self.tally.moot += 1
        await self._bus.drop(claim)

    async def _back_off(self, claim: Claim) -> None:
        self.tally.failed += 1
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


def _is_moot(memory: Memory, effect: Effect, lane: str) -> bool:
    """True when nobody waits for `effect` any more: it was answered, or its range let go."""
    key = (effect.level, effect.first)
    standing = memory.summaries.get(key)
    if standing is not None and (lane == EFFECTS or standing.how == "model"):
        return True
    held = memory.ranges.get(key)
    return held is None or held.last != effect.last
