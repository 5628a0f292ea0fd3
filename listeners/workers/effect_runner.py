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
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import structlog

from parley.bus import Bus, Claim
from parley.bus.connection.tasks import cancel_and_wait
from parley.bus.contract.errors import Fenced, SessionNotFound, Unavailable
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.cache.ranges import RangeGone
from parley.listeners.effects.answers import EFFECTS, UPGRADES, EffectAnswerer, UnknownEffect
from parley.listeners.effects.comparison import Comparer
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.effects.summariser import EffectTally, Summariser
from parley.listeners.models.embedding import Embedder
from parley.listeners.models.model_port import Model
from parley.listeners.spending.prices import Prices
from parley.listeners.workers.backoff import backoff_ms, bound_idle_seconds, serve_rounds
from parley.memory.errors import DomainError
from parley.memory.state.memory import Packs

SPARE: Final = 4  # effects in hand per model call allowed: extracts pass the ones that wait

log = structlog.get_logger("parley.effects")


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
        self._bus, self._owner = bus, owner
        self._pace = pace or EffectPace()
        self._reader = MemoryReader(bus, packs)
        self._summariser = Summariser(model, self._pace)
        pause = self._pace.first_pause_seconds
        self._comparer = None if embedder is None else Comparer(embedder, pause)
        self._answerer = EffectAnswerer(
            bus, self._reader, self._summariser, self._comparer, prices or {}
        )
        self._running: set[asyncio.Task[None]] = set()
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
            await serve_rounds(stop, self.round, self._wait)
            await self._drain()
        finally:
            for task in self._running:
                task.cancel()
            await self._drain()

    async def round(self) -> float:
        """Take what there is room for; the seconds to wait before the next look, else 0."""
        pace = self._pace
        while len(self._running) >= pace.at_once * SPARE:
            await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
        wait = pace.idle_seconds
        for lane in self._lanes():
            room = (pace.at_once * SPARE if lane == EFFECTS else pace.at_once) - len(self._running)
            taken = await self._bus.take(lane, self._owner, count=room, lease_ms=pace.lease_ms)
            for claim in taken.claims:
                task = asyncio.create_task(self._handle(claim))
                self._running.add(task)
                task.add_done_callback(self._running.discard)
            if taken.claims:
                return 0.0
            wait = min(wait, bound_idle_seconds(taken.next_ms, pace.idle_seconds))
        return wait

    def _lanes(self) -> list[str]:
        """Where to look now: upgrades only when a model would answer and has a hand free."""
        asks = self._summariser.has_model or (self._comparer and self._comparer.is_ready)
        if asks and len(self._running) < self._pace.at_once:
            return [EFFECTS, UPGRADES]
        return [EFFECTS]

    async def _wait(self, seconds: float) -> None:
        """Until something may have fallen due, a hand is free, or the model may be asked again."""
        pause = self._summariser.pause_seconds
        seconds = min(seconds, pause) if pause else seconds
        hint = asyncio.create_task(self._bus.wait_due(self._lanes(), self._owner, seconds))
        try:
            await asyncio.wait([hint, *self._running], return_when=asyncio.FIRST_COMPLETED)
            if hint.done():
                hint.result()
        finally:
            await cancel_and_wait(hint)

    async def _drain(self) -> None:
        if self._running:
            await asyncio.wait(self._running)

    async def _handle(self, claim: Claim) -> None:
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
            async with self._keep_lease(claim):
                if await self._answerer.answer(claim):
                    self._failures.pop(claim.member, None)
                else:
                    await self._back_off(claim)
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

    async def _back_off(self, claim: Claim) -> None:
        self.tally.failed += 1
        failures = self._failures[claim.member] = self._failures.get(claim.member, 0) + 1
        await self._bus.fail(claim, backoff_ms(failures))

    @asynccontextmanager
    async def _keep_lease(self, claim: Claim) -> AsyncIterator[None]:
        """Keep the lease while inside. Losing it ends nothing: the first result stands."""
        task = asyncio.create_task(self._renew(claim))
        try:
            yield
        finally:
            await cancel_and_wait(task)

    async def _renew(self, claim: Claim) -> None:
        while True:
            await asyncio.sleep(self._pace.lease_ms / 3000)
            try:
                if not await self._bus.renew(claim, self._pace.lease_ms):
                    return
            except Unavailable as error:
                log.warning("redis_unavailable", reason=str(error))
