"""The one reader of a session's news in a process, and what it hands them to."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable
from functools import partial
from typing import Final, Protocol

import structlog

from parley.bus.connection.connections import BLOCK_SECONDS, Connections
from parley.bus.connection.tasks import cancel_and_wait
from parley.bus.contract.errors import BusError, SessionNotFound, Unavailable
from parley.bus.contract.keys import SessionKeys
from parley.bus.entries import Record
from parley.bus.log.log_pages import LogPage, LogPlace, read_page
from parley.bus.log.outbox import Outbox
from parley.bus.log.replies import FactRecord

RETRY_SECONDS: Final = 0.3
_logger = structlog.get_logger(__name__)

Item = Record | FactRecord


class TailListener(Protocol):
    """Whom a tail tells; neither method may wait, others are told after it."""

    def hear(self, items: Iterable[Item], place: LogPlace) -> None:
        """What was read, oldest first; `place` is behind it."""
        ...

    def end(self, error: BusError) -> None:
        """Nothing more comes."""
        ...


class LogTail:
    """Reads what is new in one session and hands it to all subscribers."""

    def __init__(
        self,
        connections: Connections,
        outbox: Outbox,
        session: str,
        keys: SessionKeys,
        place: LogPlace,
        hint: asyncio.Event,
    ) -> None:
        self.session = session
        self.keys = keys
        self.place = place
        self.subscribers: set[TailListener] = set()
        self.ended = False
        self._connections = connections
        self._outbox = outbox
        self._hint = hint
        self._task = asyncio.create_task(self._run(), name=f"parley-tail-{session}")

    def nudge(self) -> None:
        """Read now."""
        self._hint.set()

    async def stop(self) -> None:
        """Read no more; nobody is told."""
        self.ended = True
        await cancel_and_wait(self._task)

    async def page(self, place: LogPlace, *, with_facts: bool) -> LogPage:
        """What comes after `place`. A session that this process can write again is not gone."""
        read = partial(
            read_page, self._connections, self.session, self.keys, place, with_facts=with_facts
        )
        try:
            return await read()
        except SessionNotFound:
            await self._outbox.mend(self.session)
            return await read()

    async def _run(self) -> None:
        waiting = False
        while True:
            self._hint.clear()
            try:
                more = await self._read()
            except Unavailable as error:
                if not waiting:
                    _logger.warning("tail_waits", session=self.session, reason=str(error))
                waiting, more = True, False
                await asyncio.sleep(RETRY_SECONDS)
            except BusError as error:
                self._end(error)
                return
            else:
                if waiting:
                    _logger.info("tail_resumed", session=self.session)
                waiting = False
            if not more and not waiting:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(BLOCK_SECONDS):
                        await self._hint.wait()

    async def _read(self) -> bool:
        found = await self.page(self.place, with_facts=True)
        self.place = found.place
        if found.items:
            for subscriber in tuple(self.subscribers):
                subscriber.hear(found.items, found.place)
            await asyncio.sleep(0)  # readers run before the next page
        return found.more

    def _end(self, error: BusError) -> None:
        self.ended = True
        for subscriber in tuple(self.subscribers):
            subscriber.end(error)
