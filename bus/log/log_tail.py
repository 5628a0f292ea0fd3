"""The tail of a session: the one reader of its new entries and facts in a process."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final, Protocol

import anyio
from anyio.lowlevel import checkpoint

from parley.bus.connection.connections import Connections
from parley.bus.connection.event_log import EventLog
from parley.bus.connection.signal import Signal
from parley.bus.connection.single_node import BLOCK_SECONDS
from parley.bus.connection.tasks import Child, TaskHost
from parley.bus.contract.errors import BusError, SessionNotFound, Unavailable
from parley.bus.contract.keys import SessionKeys
from parley.bus.entries import Record
from parley.bus.log.cursor_checks import LogPlace
from parley.bus.log.log_pages import LogPage, read_page
from parley.bus.log.outbox import Outbox
from parley.bus.log.replies import FactRecord

RETRY_SECONDS: Final = 0.3
_logger = EventLog(__name__)

Item = Record | FactRecord


def death_of(session: str, error: Exception) -> Unavailable:
    """What readers of `session` are told where reading it raised what nobody foresaw."""
    reason = Unavailable(f"the reader of session {session!r} died of {error!r}")
    reason.__cause__ = error
    return reason


class TailListener(Protocol):
    """A receiver of what a tail reads. Neither method may wait: others are called after it."""

    def receive(self, items: Iterable[Item], place: LogPlace) -> None:
        """Takes what was read, oldest first; `place` is behind it."""
        ...

    def end(self, error: BusError) -> None:
        """Takes the reason why nothing more comes."""
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
        hint: Signal,
        tasks: TaskHost,
    ) -> None:
        self.session = session
        self.keys = keys
        self.place = place
        self.subscribers: set[TailListener] = set()
        self.ended = False
        self._connections = connections
        self._outbox = outbox
        self._hint = hint
        self._reader = tasks.start(f"parley-tail-{session}", self._run, on_death=self._die)

    def nudge(self) -> None:
        """Read now."""
        self._hint.set()

    async def stop(self) -> None:
        """Ends the reading, without a word to the subscribers."""
        self.ended = True
        await self._reader.aclose()

    async def page(self, place: LogPlace, *, with_facts: bool) -> LogPage:
        """The entries and facts after `place`. What the outbox can restore is not gone."""
        read = partial(
            read_page, self._connections, self.session, self.keys, place, with_facts=with_facts
        )
        try:
            return await read()
        except SessionNotFound:
            await self._outbox.reoffer_if_lost(self.session)
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
                await anyio.sleep(RETRY_SECONDS)
            except BusError as error:
                self._end(error)
                return
            else:
                if waiting:
                    _logger.info("tail_resumed", session=self.session)
                waiting = False
            if not more and not waiting:
                with anyio.move_on_after(BLOCK_SECONDS):
                    await self._hint.wait()

    async def _read(self) -> bool:
        page = await self.page(self.place, with_facts=True)
        self.place = page.place
        if page.items:
            for subscriber in tuple(self.subscribers):
                subscriber.receive(page.items, page.place)
            await checkpoint()  # readers run before the next page
        return page.more

    def _die(self, _: Child, error: Exception) -> None:
        """An error that is no refusal of the bus: its subscribers hear, and may come again."""
        _logger.error("tail_died", session=self.session, reason=repr(error))
        self._end(death_of(self.session, error))

    def _end(self, error: BusError) -> None:
        self.ended = True
        for subscriber in tuple(self.subscribers):
            subscriber.end(error)
