"""Everything stored about one session, untouched: for export, fork and verify."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Container, Sequence
from typing import Any, Final

from msgspec import Struct

from parley.bus.connection.connections import Connections
from parley.bus.contract.errors import SessionNotFound, damage_of
from parley.bus.contract.keys import Keys, SessionKeys
from parley.bus.log.replies import parse_skips
from parley.bus.sessions.stored_rows import StoredRow

_PAGE: Final = 500
_META: Final = ("incarnation", "head", "n", "folded", "status", "skips", "epoch")

AuditPage = list[tuple[StoredRow, str | None]]
"""Rows of a log, each with what the index of client ids has for it; None for nothing."""


class StoredSession(Struct, frozen=True):
    """A session as it was stored at one moment. `ids` is the index of client ids."""

    session: str
    head: int
    n: int
    folded: int
    status: str
    skips: tuple[int, ...]
    rows: tuple[StoredRow, ...]
    ids: dict[str, str]
    epoch: int = 0  # of the floor

    def strange_rows(self) -> tuple[StoredRow, ...]:
        """The rows at the end that Parley did not write: beyond its head, their ids unknown to it.

        They are what a raw XADD leaves behind, and no publishing may follow them.
        """
        own = len(self.rows)
        while own and self.rows[own - 1].seq > self.head and self.rows[own - 1].id not in self.ids:
            own -= 1
        return self.rows[own:]


class StoredState(Struct, frozen=True):
    """What stands beside the log of a session at one moment. `ids` counts the index of ids."""

    incarnation: str
    head: int
    n: int
    folded: int
    skips: tuple[int, ...]
    epoch: int
    ids: int


class Audits:
    def __init__(self, connections: Connections, keys: Keys) -> None:
        self._connections = connections
        self._keys = keys

    async def audit(self, session: str) -> StoredSession:
        """The log of a session as it is stored. Raises `SessionNotFound`.

        What is published meanwhile is left out; a row beyond the head that no
        publishing explains is not.
        """
        keys = self._keys.of(session)
        with damage_of(session):
            before = await self._state(session, keys)
            rows = await self.rows(session)
            ids = await self._ids(keys)
            after = await self._state(session, keys)
            head, later = int(before[0] or 0), int(after[0] or 0)
            meanwhile = range(head + 1, later + 1)
            return StoredSession(
                session, head, int(before[1] or 0), int(before[2] or 0), before[3],
                parse_skips(before[4]),
                tuple(row for row in rows if row.seq not in meanwhile),
                {name: place for name, place in ids.items() if _seq(place) not in meanwhile},
                int(before[5] or 0),
            )  # fmt: skip

    async def state(self, session: str) -> StoredState:
        """What stands beside the log. Raises `SessionNotFound`, `SessionDamaged`."""
        keys = self._keys.of(session)
        with damage_of(session):
            head, n, folded, _, skips, epoch = await self._state(session, keys)
            (incarnation,) = await self._connections.command("HMGET", keys.meta, "incarnation")
            ids = await self._connections.command("HLEN", keys.ids)
            return StoredState(
                bytes(incarnation or b"").decode(), int(head or 0), int(n or 0), int(folded or 0),
                parse_skips(skips), int(epoch or 0), int(ids),
            )  # fmt: skip

    async def pages(self, session: str) -> AsyncGenerator[AuditPage]:
        """The whole log, some hundred rows at a time, each with its place in the index."""
        keys = self._keys.of(session)
        start = "-"
        while True:
            with damage_of(session):
                rows = await self._page(keys.log, start)
                names = [row.id for row in rows]
                places = await self._connections.command("HMGET", keys.ids, *names) if rows else []
            yield [
                (row, None if place is None else str(place, "utf-8", "replace"))
                for row, place in zip(rows, places, strict=True)
            ]
            if len(rows) < _PAGE:
                return
            start = f"({rows[-1].seq}-{rows[-1].n}"

    async def strangers(self, session: str, known: Container[str], meanwhile: range) -> list[str]:
        """The ids of the index that are none of `known`, nor of an entry of `meanwhile`."""
        ids = await self._ids(self._keys.of(session))
        return sorted(
            name
            for name, place in ids.items()
            if name not in known and _seq(place) not in meanwhile
        )

    async def _page(self, log: str, start: str) -> list[StoredRow]:
        reply = await self._connections.command("XRANGE", log, start, "+", "COUNT", _PAGE)
        return [_row(item) for item in reply]

    async def _state(self, session: str, keys: SessionKeys) -> list[str]:
        reply = await self._connections.command("HMGET", keys.meta, *_META)
        if reply[0] is None:
            raise SessionNotFound(session)
        return [(value or b"").decode() for value in reply[1:]]

    async def rows(self, session: str, after: int = 0) -> list[StoredRow]:
        """The rows beyond seq `after`, in order; none where there is no such session."""
        log = self._keys.of(session).log
        rows: list[StoredRow] = []
        start = str(after + 1)
        while True:
            page = await self._page(log, start)
            rows += page
            if len(page) < _PAGE:
                return rows
            start = f"({page[-1].seq}-{page[-1].n}"

    async def _ids(self, keys: SessionKeys) -> dict[str, str]:
        names = list(await self._connections.command("HKEYS", keys.ids))
        ids: dict[str, str] = {}
        for first in range(0, len(names), _PAGE):
            page = names[first : first + _PAGE]
            values = await self._connections.command("HMGET", keys.ids, *page)
            for name, value in zip(page, values, strict=True):
                ids[str(name, "utf-8", "replace")] = str(value or b"", "utf-8", "replace")
        return ids


def _seq(place: str) -> int:
    seq = place.partition("-")[0]
    return int(seq) if seq.isdecimal() else 0


def _row(item: Sequence[Any]) -> StoredRow:
    stream_id, flat = item
    seq, _, n = bytes(stream_id).decode().partition("-")
    fields = dict(zip(flat[::2], flat[1::2], strict=True))
    received = bytes(fields.get(b"t", b"")).decode()
    name = str(fields.get(b"id", b""), "utf-8", "replace")
    time = int(received) if received.isdecimal() else 0
    return StoredRow(int(seq), int(n), name, time, bytes(fields.get(b"entry", b"")))
