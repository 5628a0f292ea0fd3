"""Redaction: the words of one entry are taken out of a log, for good.

A log only grows, so nothing in it can be changed where it stands: it is written
anew beside the session, without those words, and put in its place in one step.
Every number, id and time stays; what was derived from the words becomes a
tombstone, and the fold starts over (docs/decisions/0010).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import anyio.to_thread
from msgspec import Struct, field
from msgspec.structs import replace

from parley.bus.connection.connections import Connections
from parley.bus.connection.server_connection import Argument
from parley.bus.contract import wire
from parley.bus.contract.drafts import redacted_id
from parley.bus.contract.errors import BusError, InvalidEntry, SessionNotFound
from parley.bus.contract.keys import Keys
from parley.bus.contract.session_info import lineage
from parley.bus.entries import DERIVED, Record, Unknown
from parley.bus.log.outbox import Outbox
from parley.bus.log.wholeness import ANY
from parley.bus.sessions.audit import Audits
from parley.bus.sessions.sessions import Sessions
from parley.bus.sessions.staged_log import stage_log
from parley.bus.sessions.stored_rows import StoredRow, decode_rows, redacted_numbers

if TYPE_CHECKING:
    from parley.bus.entries import Entry, EntryRedacted

    Blank = Callable[[Sequence[Record], int], Entry | Unknown]

TRIES: Final = 5  # of a session that is restored or redacted meanwhile
STEPS: Final = 10_000  # of catching up with its publishers; each has less to do than the one before

# What stands in the place of the entry: the whole log is given, and its n.


class Redaction(Struct, frozen=True):
    """The outcome of a redaction. `derived` are the seqs of what has to be made again.

    `again`: it was redacted before this call, and nothing was written.
    """

    session: str
    n: int
    derived: tuple[int, ...]
    again: bool = False


class Redactions:
    def __init__(
        self, connections: Connections, keys: Keys, sessions: Sessions, outbox: Outbox
    ) -> None:
        self._connections = connections
        self._keys = keys
        self._sessions = sessions
        self._outbox = outbox
        self._audits = Audits(connections, keys)

    async def redact(
        self, session: str, n: int, *, blank: Blank, reason: str, by: str | None = None
    ) -> Redaction:
        """Takes what primary entry `n` says out of the log; repeatable.

        `blank` gives what stands there instead; it must not change what later
        entries are called (`listeners.sessions.redaction` has one that sees to it), and
        whatever it raises leaves everything as it was. Publishing goes on
        meanwhile and loses nothing. Subscribers are `Fenced`, as by a restore.

        Raises `SessionNotFound`, and `InvalidEntry` where there is no such entry.
        """
        from parley.bus.entries import EntryRedacted

        marker = EntryRedacted(redacted=n, reason=reason, by=by)
        for _ in range(TRIES):
            incarnation = (await self._sessions.info(session)).incarnation
            rows = await self._audits.rows(session)
            log = decode_rows(rows)
            place = seq_of(session, log, n)
            if n in redacted_numbers(log):
                return Redaction(session, n, (), again=True)
            entry = await anyio.to_thread.run_sync(blank, log, n)  # it may fold the whole log
            words = replace(rows[place - 1], body=_body(entry))
            rows[place - 1] = words
            anew = _Anew(marker, place, redacted_numbers(log) | {n}, rows)
            if await self._swapped(session, incarnation, anew):
                self._keep(
                    session, incarnation, words.id, redacted_id(anew.last + 1), blank, marker
                )
                return Redaction(session, n, tuple(anew.derived))
        raise BusError(
            f"{session!r} was replaced {TRIES} times while entry {n} was being redacted; "
            "nothing was changed by it: run it again"
        )

    def _keep(
        self,
        session: str,
        incarnation: str,
        entry: str,
        tombstone: str,
        blank: Blank,
        marker: EntryRedacted,
    ) -> None:
        """Has it done again where the log goes back to before it."""

        async def redo(n: int) -> None:
            await self.redact(session, n, blank=blank, reason=marker.reason, by=marker.by)

        self._outbox.keep_redaction(session, incarnation, entry, tombstone, redo)

    async def _swapped(self, session: str, incarnation: str, anew: _Anew) -> bool:
        """Whether the log written anew took the place of the one it was made from.

        What came meanwhile is read and staged until nothing did.
        """
        keys = self._keys.of(session)
        fresh = f"{lineage(incarnation)}.{secrets.token_hex(4)}"
        staged = keys.staged(fresh)
        declared = await self._sessions.owned(keys, fresh, keys.bucket.dead)
        body = wire.encode(anew.marker)
        for _ in range(STEPS):
            await stage_log(self._connections, staged, anew.taken())
            reply: list[Any] = await self._connections.run(
                "redact",
                declared,
                [
                    session, keys.wake, keys.bucket.wake, fresh, incarnation, anew.last,
                    wire.fingerprint(body), body, anew.gone,
                ],
            )  # fmt: skip
            if reply[0] in (b"ok", b"there"):
                return True
            if reply[0] != b"behind":
                break
            anew.waiting += await self._audits.rows(session, anew.last)
        await self._connections.command("UNLINK", *staged)
        if reply[0] == b"missing":
            raise SessionNotFound(session)
        return False


class _Anew(Struct):
    """The log as it is rewritten: rows that wait, rows staged, and what lost its words."""

    marker: EntryRedacted
    place: int  # seq of the entry that it is about
    wordless: frozenset[int]  # n
    waiting: list[StoredRow]
    last: int = 0  # seq of the newest row staged
    n: int = 0
    derived: list[int] = field(default_factory=list)  # seqs

    @property
    def gone(self) -> str:
        return ",".join(["", *map(str, (self.place, *self.derived)), ""])

    def taken(self) -> list[tuple[Argument, ...]]:
        """Place, id, time, fingerprint and body of each row that waits; none does then."""
        lines: list[tuple[Argument, ...]] = []
        for row, record in zip(self.waiting, decode_rows(self.waiting), strict=True):
            body, name = row.body, row.id
            if may_quote(record, self.marker.redacted):
                body, name = wire.encode(self.marker), redacted_id(row.seq)
                self.derived.append(row.seq)
            wordless = row.n > self.n and row.n in self.wordless
            mark = ANY if wordless else wire.fingerprint(body)
            lines.append((f"{row.seq}-{row.n}", name, row.received_ms, mark, body))
            self.last, self.n = row.seq, row.n
        self.waiting = []
        return lines


def seq_of(session: str, log: Sequence[Record], n: int) -> int:
    """The seq of primary entry `n`; raises `InvalidEntry` where there is none."""
    last = log[-1].n if log else 0
    if not 1 <= n <= last:
        raise InvalidEntry(f"{session!r} has no entry {n}; its last one is {last}")
    return next(record.seq for record in log if record.n == n)


def may_quote(record: Record, n: int) -> bool:
    """True for what an effect made when it could read the words of entry `n`.

    A note, and the running summary, digest everything up to their cause.
    """
    entry: Any = record.entry
    if entry.kind not in DERIVED:
        return False
    if isinstance(entry, Unknown):
        return record.n >= n
    match entry.kind:
        case "summary.made":
            return bool(entry.first <= n <= entry.last)
        case "items.extracted":
            return bool(entry.lead <= n <= entry.last)
        case "note.revised" | "note.refused":
            return bool(entry.cause >= n)
        case "text.condensed" | "similarity.found":
            return bool(entry.of >= n)
    return False


def _body(entry: Entry | Unknown) -> bytes:
    return entry.raw if isinstance(entry, Unknown) else wire.encode(entry)
