"""What others say in a session, once and in order, through whatever happens to Redis."""

from __future__ import annotations

import re as regex
from collections import deque
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final, cast

from parley.bus import Bus
from parley.bus.entries import Act, Message, Record
from parley.listeners.rooms.participant import Participant

_PAGE: Final = 500  # entries read at once
_REMEMBERED: Final = 1000  # messages known by id, should the log go back


@dataclass(frozen=True, slots=True)
class HeardMessage:
    """What somebody else said. `addressed`: to us by name, in `to` or as @name."""

    n: int
    participant: str
    content: str
    act: Act | None = None
    re: int | str | None = None
    to: tuple[str, ...] = ()
    addressed: bool = False


class Inbox:
    """What `me` hears from now on. Read from the log: a slow listener misses nothing."""

    def __init__(self, bus: Bus, me: Participant) -> None:
        self._bus, self._me = bus, me
        self._seq = me.room.seq  # of the newest entry that was listened to
        self._heard: deque[str] = deque(maxlen=_REMEMBERED)
        self._mention = regex.compile(rf"(?<!\w)@{regex.escape(me.name)}(?!\w)", regex.IGNORECASE)

    async def rounds(self) -> AsyncGenerator[list[HeardMessage]]:
        """What came since the round before, whenever the session moved; ends when it is closed."""
        room = self._me.room
        while True:
            seq = room.seq
            messages = (self._message(record) for record in await self._news())
            yield [message for message in messages if message is not None]
            if self._seq < room.seq:
                continue
            if self._me.memory.closed is not None:
                return
            await room.wait_past(seq)

    async def _news(self) -> list[Record]:
        """Entries beyond the last one listened to, oldest first."""
        room = self._me.room
        self._seq = min(self._seq, room.seq)  # the log may have gone back
        (stretch,) = await self._bus.read_many([(room.session, self._seq)], count=_PAGE)
        if stretch is None or not stretch.records:
            return []
        self._seq = stretch.records[-1].seq
        return [record for record in stretch.records if record.seq not in stretch.skips]

    def _message(self, record: Record) -> HeardMessage | None:
        """What `record` says to us; None where it is no message, our own, or known already."""
        if record.entry.kind != "message" or record.id in self._heard:
            return None
        self._heard.append(record.id)
        entry = cast("Message", record.entry)
        memory, mine = self._me.memory, self._me.canonical
        if memory.named(entry.participant) == mine:
            return None
        addressed = mine in map(memory.named, entry.to) or (
            "@" in entry.content and self._mention.search(entry.content) is not None
        )
        return HeardMessage(
            record.n, entry.participant, entry.content, entry.act, entry.re, entry.to, addressed
        )
