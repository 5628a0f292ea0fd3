"""Everything stored about one session, untouched: for export, fork and verify."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from parley.bus.connection.connections import Connections
from parley.bus.contract.errors import SessionNotFound, damage_of
from parley.bus.contract.keys import Keys, SessionKeys
from parley.bus.log.replies import parse_skips
from parley.bus.sessions.stored_rows import StoredRow

_PAGE: Final = 500
_META: Final = ("incarnation", "head", "n", "folded", "status", "skips", "epoch")


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
            reply = await self._connections.command("XRANGE", log, start, "+", "COUNT", _PAGE)
            rows += map(_row, reply)
            if len(reply) < _PAGE:
                return rows
            start = f"({bytes(reply[-1][0]).decode()}"

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
