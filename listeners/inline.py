"""Summaries made by whoever speaks, where a session wants them so (`summary.strategy`)."""

from __future__ import annotations

from contextlib import suppress

from bus import Bus
from bus.errors import Busy, SessionClosed
from listeners.effects import EffectRunner
from listeners.model import Model
from listeners.reader import MemoryReader
from memory.state import Packs


class Inline:
    """The due summaries of one session, made here and now; `background` leaves them to workers."""

    def __init__(
        self, bus: Bus, packs: Packs, session: str, reader: MemoryReader, model: Model | None
    ) -> None:
        self._reader, self._session = reader, session
        self._runner = EffectRunner(bus, packs, model, "inline", reader=reader)

    async def settled(self) -> None:
        """Return when nothing is due, or at once where the session works in the background.

        Which of the two is as this process last read it. Where a model fails,
        extracts land in place of its summaries; what cannot be made here, because
        the session was closed meanwhile or is busy, is left to workers.
        """
        memory = self._reader.held(self._session) or await self._reader.current(self._session)
        if memory.settings.summary.strategy == "inline":
            with suppress(SessionClosed, Busy):
                await self._runner.run_due(self._session)
