"""The sessions on one Redis: listed, inspected, marked, removed, restored."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, Final

from parley.bus.connection.connections import Connections
from parley.bus.connection.server_connection import Argument
from parley.bus.contract.errors import (
    BusError,
    InvalidEntry,
    SessionDamaged,
    SessionExists,
    SessionNotFound,
    WrongType,
)
from parley.bus.contract.keys import OWED, BucketKeys, Keys, SessionKeys
from parley.bus.contract.session_info import DAMAGED, IMPORTED, SessionInfo
from parley.bus.contract.whole_log import check_log, last_epoch, set_aside_in
from parley.bus.entries import Record
from parley.bus.log.charges import Quotas
from parley.bus.log.outbox import Outbox
from parley.bus.log.replies import parse_skips
from parley.bus.log.wholeness import check_length
from parley.bus.sessions.staged_log import stage_log, staged_lines, stored_bytes

_FIELDS: Final = (
    "incarnation", "head", "n", "folded", "base", "status", "skips", "origin",
    "due_effects", "due_upgrades", "epoch", "healed",
)  # fmt: skip

_REPLACE: Final = "replace it: replace=True puts this in its place"


class Sessions:
    def __init__(
        self, connections: Connections, keys: Keys, outbox: Outbox, quotas: Quotas, backlog: int
    ) -> None:
        self._connections = connections
        self._quotas = quotas
        self._keys = keys
        self._outbox = outbox
        self._backlog = backlog

    async def info(self, session: str) -> SessionInfo:
        """The state of `session`. Raises `SessionNotFound`, and `SessionDamaged`."""
        (info,) = await self._infos([session])
        if info is None:
            raise SessionNotFound(session)
        if isinstance(info, SessionDamaged):
            raise info
        return info

    async def sessions(self, offset: int = 0, count: int = 100) -> list[SessionInfo]:
        """`count` sessions after the first `offset`, newest activity first.

        Those of one millisecond stand in the backward order of their names, so that
        pages meet. The status of one whose state cannot be read is `damaged`.
        """
        infos = await self._infos(await self._newest(offset, count))
        return [
            _damaged(info.session) if isinstance(info, SessionDamaged) else info
            for info in infos
            if info is not None
        ]

    async def _newest(self, offset: int, count: int) -> list[str]:
        buckets = self._keys.buckets
        if len(buckets) == 1:  # in the order that Redis has them in anyway
            names = await self._connections.command(*_newest_of(buckets[0], offset, count))
            return [str(name, "utf-8") for name in names]
        listed = await self._connections.commands(
            [_newest_of(bucket, 0, offset + count) for bucket in buckets]
        )
        rows = [pair for pair in zip(buckets, listed, strict=True) if pair[1]]
        scores = await self._connections.commands(
            [("ZMSCORE", bucket.sessions, *names) for bucket, names in rows]
        )
        ranked: list[tuple[float, str]] = []
        for (_, names), some in zip(rows, scores, strict=True):
            pairs = zip(some, names, strict=True)
            ranked += [(float(score or 0), str(name, "utf-8")) for score, name in pairs]
        ranked.sort(reverse=True)
        return [name for _, name in ranked[offset : offset + count]]

    async def mark(self, session: str, status: str) -> None:
        """Sets the status of a closed session, such as `archived`.

        Raises `SessionNotFound`, and `InvalidEntry` for a session that is open.
        """
        keys = self._keys.of(session)
        reply = await self._connections.run("mark", [keys.meta], [status])
        if reply[0] == b"missing":
            raise SessionNotFound(session)
        if reply[0] == b"open":
            raise InvalidEntry(f"session {session!r} is open; close it before it is {status}")

    async def remove(self, session: str, *, saved: SessionInfo | None = None) -> None:
        """Deletes `session` with all that belongs to it. Raises `SessionNotFound`.

        With `saved` only as long as it is what it was then: else raises `BusError`.
        """
        keys = self._keys.of(session)
        standing = await self._field(keys, "incarnation") if saved is None else saved.incarnation
        if standing is None:
            raise SessionNotFound(session)
        reply = await self._connections.run(
            "remove", await self.owned(keys, "-", keys.here),
            [session, keys.wake, standing, saved.head if saved else ""],
        )  # fmt: skip
        if reply[0] == b"missing":
            raise SessionNotFound(session)
        if reply[0] == b"other":
            raise BusError(
                f"session {session!r} was replaced meanwhile; look again, then remove it"
            )
        if reply[0] == b"grown":
            raise BusError(f"session {session!r} has new entries since it was saved; it stays")
        self._outbox.forget(session)
        await self._quotas.drop(session)

    async def restore(
        self, session: str, records: Sequence[Record], *, replace: bool = False,
        origin: str = IMPORTED,
    ) -> None:  # fmt: skip
        """Puts `records`, verbatim and from seq 1 without a gap, in place of `session`.

        Readers see the old session or the new one, never a part. The fold starts
        over. `origin` is where they came from, as `SessionInfo` has it. Raises
        `SessionExists` unless `replace`, and `InvalidEntry`, before anything is written,
        where the records are no whole log.
        """
        status = check_log(session, records)
        keys = self._keys.of(session)
        incarnation = await self._field(keys, "incarnation")
        if incarnation is not None and not replace:
            raise SessionExists(session, _REPLACE)
        counted = await self._quotas.replace(session, stored_bytes(records))
        try:
            await self._restore(session, records, incarnation or b"", status, origin, replace)
        except BusError:
            if counted is not None:
                await self._quotas.uncount(session, counted)
            raise
        self._outbox.forget(session)

    async def _restore(
        self, session: str, records: Sequence[Record], incarnation: bytes, status: str,
        origin: str, replace: bool,
    ) -> None:  # fmt: skip
        keys, nonce = self._keys.of(session), secrets.token_hex(8)
        await stage_log(self._connections, keys.staged(nonce), staged_lines(records))
        while True:
            reply = await self._put(session, records, nonce, incarnation, status, origin)
            if reply[0] != b"exists":
                break
            if not replace:
                raise SessionExists(session, _REPLACE)
            # Another came in between: it is what stands there now, and is replaced as well.
            incarnation = await self._field(keys, "incarnation") or b""
        if reply[0] == b"unstaged":
            raise BusError(f"the restore of {session!r} was interrupted; run it again")

    async def _put(
        self, session: str, records: Sequence[Record], nonce: str, standing: bytes, status: str,
        origin: str,
    ) -> Any:  # fmt: skip
        """The reply of `restore`, once all is staged; `standing` is what it may replace."""
        keys, last = self._keys.of(session), records[-1]
        return await self._connections.run(
            "restore",
            await self.owned(keys, nonce),
            [
                session, keys.wake, keys.bucket.wake, nonce, standing, last.seq, last.n,
                status, ",".join(map(str, set_aside_in(records))), last_epoch(records),
                self._backlog, origin,
            ],
        )  # fmt: skip

    async def owned(self, keys: SessionKeys, nonce: str, *more: str) -> list[str]:
        """The keys of a whole session, for scripts that replace it; the snapshots come last."""
        builds = await self._field(keys, "builds")
        bucket = keys.bucket
        lanes = [key for lane in OWED for key in (bucket.due(lane), bucket.claims(lane))]
        memories = [keys.memory(build) for build in (builds or b"").decode().split()]
        staged = keys.staged(nonce)
        return [*keys.appending(), keys.facts, keys.gone, *lanes, *staged, *more, *memories]

    async def _field(self, keys: SessionKeys, name: str) -> bytes | None:
        """A field of a session's state; None if the key has another type, and may be replaced."""
        try:
            (value,) = await self._connections.command("HMGET", keys.meta, name)
        except WrongType:
            return None
        return None if value is None else bytes(value)

    async def _infos(self, sessions: Sequence[str]) -> list[SessionInfo | SessionDamaged | None]:
        commands: list[Sequence[Argument]] = []
        for session in sessions:
            keys = self._keys.of(session)
            bucket = keys.bucket
            commands.append(("HMGET", keys.meta, *_FIELDS))
            commands.append(("XLEN", keys.log))
            commands.append(("ZMSCORE", bucket.sessions, session))
            commands.append(("ZMSCORE", bucket.due("fold"), session))
        replies = iter(await self._connections.attempts(commands))
        return [
            _read_info(session, next(replies), next(replies), (next(replies), next(replies)))
            for session in sessions
        ]


def _newest_of(bucket: BucketKeys, offset: int, count: int) -> tuple[Argument, ...]:
    return ("ZREVRANGEBYSCORE", bucket.sessions, "+inf", "-inf", "LIMIT", offset, count)


def _read_info(
    session: str, row: Any, length: Any, shared: tuple[Any, Any]
) -> SessionInfo | SessionDamaged | None:
    """The state of a session by four replies, each of which may be a refusal.

    The last two are about keys that it shares: nothing there is its own fault.
    """
    for reply in (row, length):
        if isinstance(reply, BusError):
            return SessionDamaged(session, str(reply))
    last, waits = (None if isinstance(reply, BusError) else reply[0] for reply in shared)
    try:
        info = _info(session, row, last, waits)
        if info is not None:
            check_length(session, info.head, length)
        return info
    except SessionDamaged as error:
        return error
    except (ValueError, OverflowError) as error:
        return SessionDamaged(session, f"its state cannot be read: {error}")


def _damaged(session: str) -> SessionInfo:
    due = {"fold": 0, "effects": 0, "upgrades": 0}
    return SessionInfo(session, "", 0, 0, 0, 0, DAMAGED, (), 0, None, due, 0)


def _info(
    session: str, row: list[bytes | None], active: bytes | float | None, due: bytes | float | None
) -> SessionInfo | None:
    if row[0] is None:
        return None
    text = [(value or b"").decode() for value in row]
    incarnation, head, n, folded, base, status, skips, origin, effects, upgrades, epoch, healed = (
        text
    )
    return SessionInfo(
        session, incarnation, int(head), int(n), int(folded), int(base), status,
        parse_skips(skips), int(float(active or 0)), origin or None,
        {
            "fold": int(due is not None),
            "effects": int(effects or 0),
            "upgrades": int(upgrades or 0),
        },
        int(epoch or 0), int(healed or 0),
    )  # fmt: skip
