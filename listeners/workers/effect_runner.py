"""Run what memory is owed: the loop of the lanes `effects` and `upgrades`.

`effects` holds what must be done, and what anyone can do: summaries.
`upgrades` holds what only a model can: reflections, shorter forms, better
summaries. A summary of a session that wants a model's is asked of the model; when that
fails, the extract lands in its place, marked as such, and the upgrade of it
falls due for a runner whose model answers again. Several effects are in hand
at once, so a slow one delays nothing else; extracts never wait for a model.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import anyio
from anyio.abc import TaskGroup

from parley.bus import Bus, Claim
from parley.bus.connection.event_log import EventLog
from parley.bus.connection.task_groups import open_task_group, wait_unless_set
from parley.bus.contract.errors import BusError, Fenced, SessionNotFound, Unavailable
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

log = EventLog("parley.effects")


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
        self._running = 0  # effects in hand
        self._freed = anyio.Event()  # set, and another one, whenever an effect is done with
        self._failures: dict[str, int] = {}  # members that failed here, and how often

    @property
    def tally(self) -> EffectTally:
        """What was done so far."""
        return self._summariser.tally

    async def run(self, stop: anyio.Event) -> None:
        """Serve the lanes until `stop` is set; what is in hand then is finished.

        Cancelled, it hands back what it holds, due at once for someone else.
        """
        async with open_task_group() as effects:
            await serve_rounds(stop, lambda: self._round(effects), self._wait)

    async def _round(self, effects: TaskGroup) -> float:
        """Take what there is room for; the seconds to wait before the next look, else 0."""
        pace = self._pace
        while self._running >= pace.at_once * SPARE:
            await self._freed.wait()
        wait = pace.idle_seconds
        for lane in self._lanes():
            room = (pace.at_once * SPARE if lane == EFFECTS else pace.at_once) - self._running
            taken = await self._bus.take(lane, self._owner, count=room, lease_ms=pace.lease_ms)
            for claim in taken.claims:
                self._running += 1
                effects.start_soon(self._handle, claim)
            if taken.claims:
                return 0.0
            wait = min(wait, bound_idle_seconds(taken.next_ms, pace.idle_seconds))
        return wait

    def _lanes(self) -> list[str]:
        """Where to look now: upgrades only when a model would answer and has a hand free."""
        asks = self._summariser.has_model or (self._comparer and self._comparer.is_ready)
        if asks and self._running < self._pace.at_once:
            return [EFFECTS, UPGRADES]
        return [EFFECTS]

    async def _wait(self, seconds: float) -> None:
        """Until something may have fallen due, a hand is free, or the model may be asked again."""
        pause = self._summariser.pause_seconds
        seconds = min(seconds, pause) if pause else seconds
        await wait_unless_set(self._freed, self._bus.wait_due(self._lanes(), self._owner, seconds))

    async def _handle(self, claim: Claim) -> None:
        """Run one effect under its lease; what stops it stops no other."""
        try:
            await self._attempt(claim)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True), contextlib.suppress(Unavailable):
                await self._bus.release(claim)  # where Redis is away, the lease brings it back
            raise
        except Unavailable as error:
            log.warning("redis_unavailable", reason=str(error))  # the lease brings it back
        except BusError as error:  # it could not even be handed back: so does the lease
            log.warning("effect_waits", effect=claim.member, why=str(error))
        finally:
            self._running -= 1
            freed, self._freed = self._freed, anyio.Event()
            freed.set()

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
        async with open_task_group() as group:
            group.start_soon(self._renew, claim)
            yield
            group.cancel_scope.cancel()

    async def _renew(self, claim: Claim) -> None:
        while True:
            await anyio.sleep(self._pace.lease_ms / 3000)
            try:
                if not await self._bus.renew(claim, self._pace.lease_ms):
                    return
            except Unavailable as error:
                log.warning("redis_unavailable", reason=str(error))
