"""The log in this process: one session, no Redis, the same receipts and refusals."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Literal

from bus.drafts import (
    CLOSE_ID,
    OPEN_ID,
    Draft,
    Prepared,
    Receipt,
    check_session_name,
    prepare,
    resolved,
)
from bus.entries import Record, SessionClosed, SessionOpened
from bus.errors import Conflict, SessionExists, SessionNotFound, UnknownReference
from bus.errors import SessionClosed as ClosedToEntries
from bus.info import SessionInfo
from bus.wire import decode


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


class LocalLog:
    """One session's log in memory, gone with the process.

    Nothing here waits, so the methods are plain. Nobody folds it but its
    owner: `info().folded` stays 0. `now_ms` gives the receipt times.
    """

    def __init__(self, session: str = "local", now_ms: Callable[[], int] = _now_ms) -> None:
        self.session = check_session_name(session)
        self._now_ms = now_ms
        self._records: list[Record] = []
        self._ids: dict[str, tuple[Receipt, str]] = {}  # with the fingerprint
        self._status: Literal["open", "closed"] = "open"

    def open(self, opened: SessionOpened) -> Receipt:
        """Write entry 1. Raises `SessionExists` the second time."""
        if self._records:
            raise SessionExists(self.session)
        return self._append(prepare(Draft(OPEN_ID, opened), by_the_bus=True))

    def publish(self, drafts: Iterable[Draft]) -> list[Receipt]:
        """Append `drafts` in order; a draft that is there already gets its old receipt.

        Raises `InvalidEntry` for any draft before writing one; `SessionClosed`,
        `Conflict` and `UnknownReference` when their turn comes, with the drafts
        before it written: publish the same list again to go on.
        """
        checked = [(draft, prepare(draft)) for draft in drafts]
        if not self._records:
            raise SessionNotFound(self.session)
        return [self._publish(draft, prepared) for draft, prepared in checked]

    def close(self, reason: str = "closed", by: str | None = None) -> Receipt:
        """Write the last entry. Raises `SessionClosed` the second time."""
        return self.publish([Draft(CLOSE_ID, SessionClosed(reason=reason, by=by))])[0]

    def read(self, after: int = 0, *, to: int | None = None, count: int = 500) -> list[Record]:
        """At most `count` records after seq `after`, up to and including `to`."""
        first = max(after, 0)
        last = first + count if to is None else min(to, first + count)
        return self._records[first : max(last, 0)]

    def tail(self, count: int) -> list[Record]:
        """The newest `count` records, oldest first."""
        return self._records[-count:] if count > 0 else []

    def info(self) -> SessionInfo:
        """Where the session stands. Raises `SessionNotFound` before `open`."""
        if not self._records:
            raise SessionNotFound(self.session)
        last = self._records[-1]
        return SessionInfo(
            session=self.session,
            incarnation="local",
            head=last.seq,
            n=last.n,
            status=self._status,
            last_activity_ms=last.received_ms,
        )

    def _publish(self, draft: Draft, prepared: Prepared) -> Receipt:
        if self._status != "open":
            raise ClosedToEntries(self.session)
        if prepared.reference is not None:
            prepared = prepare(resolved(draft, self._number_of(prepared.reference)))
        standing = self._ids.get(prepared.id)
        if standing is None:
            return self._append(prepared)
        receipt, fingerprint = standing
        if fingerprint != prepared.fingerprint and not prepared.derived:
            raise Conflict(self.session, prepared.id, receipt.seq)
        return receipt._replace(duplicate=True)

    def _number_of(self, id: str) -> int:
        standing = self._ids.get(id)
        if standing is None:
            raise UnknownReference(self.session, id)
        return standing[0].n

    def _append(self, prepared: Prepared) -> Receipt:
        before = self._records[-1].n if self._records else 0
        receipt = Receipt(len(self._records) + 1, before + prepared.primary, duplicate=False)
        # decoded from the bytes, so that readers see what they would see from Redis
        entry = decode(prepared.body)
        self._records.append(Record(receipt.seq, receipt.n, prepared.id, self._now_ms(), entry))
        self._ids[prepared.id] = (receipt, prepared.fingerprint)
        if entry.kind == "session.closed":
            self._status = "closed"
        return receipt
