"""Following a session: every entry and every fact, once and in order.

One tail per process and session reads the log; what it reads is fanned out in
memory. A subscriber that comes with an old cursor reads pages by itself until it
has caught up, then joins the tail. One that does not keep up is dropped with a
reason, and nobody waits for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace

import anyio

from parley.bus.connection.connections import Connections
from parley.bus.connection.hints import Hints
from parley.bus.connection.signal import Signal
from parley.bus.connection.tasks import TaskHost
from parley.bus.contract.cursor import Cursor
from parley.bus.contract.errors import BusError, SlowSubscriber, Unavailable
from parley.bus.contract.keys import Keys, SessionKeys
from parley.bus.entries import Record
from parley.bus.entries.record import mark_of
from parley.bus.log.cursor_checks import LogPlace
from parley.bus.log.log_pages import newest_place
from parley.bus.log.log_tail import RETRY_SECONDS, Item, LogTail, death_of
from parley.bus.log.outbox import Outbox


class Subscriptions:
    """All subscribers of this process, and the tails they share."""

    def __init__(self, connections: Connections, keys: Keys, hints: Hints, outbox: Outbox) -> None:
        self._connections = connections
        self._keys = keys
        self._hints = hints
        self._outbox = outbox
        self._tails: dict[str, LogTail] = {}
        self._starting = anyio.Lock()
        self._tasks = TaskHost("parley-tails")

    @asynccontextmanager
    async def subscribe(
        self,
        session: str,
        after: Cursor | int | None = None,
        *,
        facts: bool = True,
        buffer: int = 1000,
    ) -> AsyncGenerator[Subscription]:
        """Entries and facts of `session` after a cursor, a seq, or from now on (None).

        Iterating raises `SlowSubscriber` once more than `buffer` items wait;
        `FactsExpired` where facts after the cursor were cut off; `Fenced` where the
        log went back or was replaced: then what was received may no longer stand, and
        the caller begins anew. An outage of Redis is waited out.
        """
        keys = self._keys.of(session)
        if after is None:
            place = await newest_place(self._connections, session, keys)
        else:
            place = LogPlace(Cursor.after(after) if isinstance(after, int) else after)
        tail = await self._tail(session, keys)
        # No waiting from here on: a tail without subscribers ends.
        subscription = Subscription(tail, place, facts, buffer)
        tail.subscribers.add(subscription)
        if after is None:
            subscription.join()
        try:
            yield subscription
        finally:
            tail.subscribers.discard(subscription)
            await self._leave(tail)

    def nudge(self, session: str) -> None:
        """Something was published in `session`: its tail here need not wait for the hint."""
        if (tail := self._tails.get(session)) is not None:
            tail.nudge()

    async def aclose(self) -> None:
        for tail in list(self._tails.values()):
            await tail.stop()
        self._tails.clear()
        await self._tasks.aclose()

    async def _tail(self, session: str, keys: SessionKeys) -> LogTail:
        async with self._starting:
            tail = self._tails.get(session)
            if tail is None or tail.ended:
                place = await newest_place(self._connections, session, keys)
                hint = self._hints.follow(keys.wake)
                tail = self._tails[session] = LogTail(
                    self._connections, self._outbox, session, keys, place, hint, self._tasks
                )
            return tail

    async def _leave(self, tail: LogTail) -> None:
        if tail.subscribers:
            return
        await tail.stop()
        if self._tails.get(tail.session) is tail:
            del self._tails[tail.session]
            self._hints.unfollow(tail.keys.wake)


class Subscription:
    """An async iterator over entries and facts."""

    def __init__(
        self,
        tail: LogTail,
        place: LogPlace,
        facts: bool,
        buffer: int,
    ) -> None:
        self._cursor = replace(place.cursor, mark=mark_of(place.identity) or place.cursor.mark)
        self._last: Record | None = None  # given
        self._tail = tail
        self._place = place  # behind the last item in the buffer
        self._facts = facts
        self._limit = buffer
        self._buffer: deque[Item] = deque()
        self._arrived = Signal()
        self._live = False
        self._error: BusError | None = None

    @property
    def cursor(self) -> Cursor:
        """Behind the last item that it gave."""
        last = self._last
        return self._cursor if last is None else replace(self._cursor, mark=last.mark)

    def __aiter__(self) -> AsyncIterator[Item]:
        return self

    async def __anext__(self) -> Item:
        while not self._buffer:
            if self._error is not None:
                raise self._error
            if self._live:
                self._arrived.clear()
                await self._arrived.wait()
            else:
                await self._catch_up()
        item = self._buffer.popleft()
        if isinstance(item, Record):
            self._last = item
        self._cursor = _behind(self._cursor, item)
        return item

    def join(self) -> None:
        """Takes what is new from the tail from now on, unless the tail is ahead."""
        own, others = self._place.cursor, self._tail.place.cursor
        if own.seq >= others.seq and (not self._facts or own.fact >= others.fact):
            self._live = True

    def receive(self, items: Iterable[Item], place: LogPlace) -> None:
        """Buffers what the tail read, without the items that this subscription read by itself."""
        if not self._live or self._error is not None:
            return
        at = self._place.cursor
        self._buffer.extend(item for item in items if self._wants(item, at))
        if _beyond(place.cursor, at):
            self._place = place
        if len(self._buffer) > self._limit:
            behind = len(self._buffer)
            self._buffer.clear()
            self.end(SlowSubscriber(self._tail.session, behind, str(self.cursor)))
        self._arrived.set()

    def end(self, error: BusError) -> None:
        """Raises `error` once what is buffered has been read."""
        if self._error is None:
            self._error = error
        self._live = True
        self._arrived.set()

    async def _catch_up(self) -> None:
        try:
            page = await self._tail.page(self._place, with_facts=self._facts)
        except Unavailable:
            await anyio.sleep(RETRY_SECONDS)  # the tail of this session says so in the log
            return
        except BusError:
            raise
        except Exception as error:
            raise death_of(self._tail.session, error) from error
        self._buffer.extend(page.items)
        self._place = page.place
        if page.place.cursor.seq == self._cursor.seq:  # a seq alone has no mark before it is read
            self._cursor = replace(self._cursor, mark=mark_of(page.place.identity))
        if not page.items and not page.more:
            self.join()

    def _wants(self, item: Item, at: Cursor) -> bool:
        if isinstance(item, Record):
            return item.seq > at.seq
        return self._facts and (item.seq, item.k) > at.fact


def _behind(cursor: Cursor, item: Item) -> Cursor:
    if isinstance(item, Record):
        return Cursor(item.seq, cursor.fact)
    return replace(cursor, fact=(item.seq, item.k))


def _beyond(cursor: Cursor, other: Cursor) -> bool:
    return cursor.seq > other.seq or cursor.fact > other.fact
