"""Summaries made by whoever speaks, where a session wants them so (`summary.strategy`)."""

from __future__ import annotations

from contextlib import suppress

from parley.bus import Bus, Draft
from parley.bus.contract.errors import Busy, Fenced, SessionClosed
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.effects.summariser import Summariser, SummaryOrder
from parley.listeners.models.model_port import Model
from parley.listeners.spending.accounts import Account
from parley.listeners.spending.session_books import SessionLedger, is_charged
from parley.memory.fold.due import due_summaries


class InlineSummaries:
    """The due summaries of one session, made here and now; `background` leaves them to workers."""

    def __init__(self, bus: Bus, session: str, reader: MemoryReader, model: Model | None) -> None:
        self._bus, self._reader, self._session = bus, reader, session
        self._account = Account(SessionLedger(bus, reader, session), {})  # knows no prices
        self._summariser = Summariser(model, EffectPace())

    async def settle(self) -> None:
        """Return when nothing is due, or at once where the session works in the background.

        Which of the two is as this process last read it. Where a model fails,
        extracts land in place of its summaries; what cannot be made here, because
        the session was closed meanwhile or is busy, is left to workers.
        """
        memory = self._reader.peek(self._session) or await self._reader.current(self._session)
        if memory.settings.summary.strategy == "inline":
            with suppress(SessionClosed, Busy):
                await self._run_due()

    async def _run_due(self) -> None:
        """Make what is owed now, and what falls due with that.

        The same results under the same ids as a worker's: whoever makes one of
        them as well finds it done.
        """
        done: set[str] = set()
        while True:
            info = await self._bus.info(self._session)
            memory = await self._reader.current(self._session)
            effect = next(iter(due_summaries(memory, 1)), None)
            if effect is None or effect.id in done:  # its result may have been set aside
                return
            done.add(effect.id)
            order, skips = SummaryOrder.of(memory, effect), frozenset(info.skips)
            is_paid = await is_charged(self._bus, self._session, memory)
            account = self._account if is_paid else None
            entries = await order.read(self._bus, self._session, skips)
            summary = await self._summariser.summary(self._session, order, entries, account)
            if summary is None:
                return
            draft = Draft(effect.result_id(summary.how), summary)
            try:
                await self._bus.publish(self._session, [draft], incarnation=info.incarnation)
            except Fenced:
                done.clear()  # redacted meanwhile: what was read is no longer said
