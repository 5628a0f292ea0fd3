"""The log in this process: one session, no Redis, the same receipts and refusals."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from parley.bus.contract import wire
from parley.bus.contract.drafts import CLOSING, OPENING, Draft, Receipt, SealedDraft
from parley.bus.contract.drafts import seal as seal_draft
from parley.bus.contract.errors import Conflict, SessionExists, SessionNotFound, StaleEpoch
from parley.bus.contract.errors import SessionClosed as Closed
from parley.bus.contract.keys import Keys
from parley.bus.contract.session_info import SessionInfo
from parley.bus.contract.whole_log import check_log, last_epoch, set_aside_in
from parley.bus.entries import Record, SessionClosed, SessionOpened, Unknown
from parley.bus.log.batches import BATCH_DRAFTS, check_drafts, check_one_step, next_batch
from parley.bus.log.references import referenced_id


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


class LocalLog:
    """One session's log in memory, gone with the process.

    Nothing here waits, so the methods are plain. Nobody folds it but its
    owner: `info().folded` stays 0. `now_ms` gives the receipt times.
    """

    def __init__(self, session: str = "local", now_ms: Callable[[], int] = _now_ms) -> None:
        Keys(1).of(session)  # a name that Redis' log would refuse is refused here
        self.session = session
        self.now_ms = now_ms
        self._records: list[Record] = []
        self._places: dict[str, tuple[Receipt, str]] = {}  # by id, with the fingerprint
        self._closed = False
        self._epoch = 0
        self._skips: tuple[int, ...] = ()

    @classmethod
    def restore(
        cls, session: str, records: Sequence[Record], now_ms: Callable[[], int] = _now_ms
    ) -> LocalLog:
        """A log that goes on from `records`, a whole one. Raises `InvalidEntry` for what is none.

        What they set aside is in `info().skips`.
        """
        log = cls(session, now_ms)
        log._closed = check_log(session, records) == "closed"
        log._epoch = last_epoch(records)
        log._skips = set_aside_in(records)
        log._records = list(records)
        for record in records:
            receipt = Receipt(record.seq, record.n, duplicate=False)
            entry = record.entry
            body = entry.raw if isinstance(entry, Unknown) else wire.encode(entry)
            log._places[record.id] = (receipt, wire.fingerprint(body))
        return log

    def open(self, opened: SessionOpened) -> Receipt:
        """Write entry 1. Raises `SessionExists` the second time."""
        seal = seal_draft(OPENING, opened)
        if self._records:
            raise SessionExists(self.session)
        return self._append(seal, self.now_ms())

    def publish(self, drafts: Sequence[Draft], *, epoch: int | None = None) -> list[Receipt]:
        """Append `drafts` in order, each once; as `Log.publish`, refusals included.

        A part of the batch (`parley.bus.log.batches`) lands whole or not at all. Effects have
        no verb of their own here: their results are published, and taken after
        the close too, as Redis takes them by `finish`.
        """
        check_drafts(drafts, epoch)
        receipts: list[Receipt] = []
        while len(receipts) < len(drafts):
            part = drafts[len(receipts) : len(receipts) + BATCH_DRAFTS]
            seals = next_batch(self.session, part, self._numbers(part))
            check_one_step(seals, part, epoch)
            receipts += self._land(seals, epoch)
        return receipts

    def close(
        self,
        reason: str = "closed",
        by: str | None = None,
        *,
        rule: str | None = None,
        totals: Mapping[str, int] | None = None,
    ) -> Receipt:
        """Write the last entry. Raises `SessionClosed` where it was closed with other words."""
        last = SessionClosed(reason=reason, by=by, rule=rule, totals=dict(totals or {}))
        try:
            return self._land([seal_draft(CLOSING, last)])[0]
        except Conflict:
            raise Closed(self.session) from None

    def read(self, after: int = 0, *, to: int | None = None, count: int = 500) -> list[Record]:
        """At most `count` records after seq `after`, up to and including `to`."""
        self._head()
        first = max(after, 0)
        last = first + count if to is None else min(to, first + count)
        return self._records[first : max(last, 0)]

    def tail(self, count: int) -> list[Record]:
        """The newest `count` records, oldest first."""
        self._head()
        return self._records[-count:] if count > 0 else []

    def info(self) -> SessionInfo:
        """Where the session stands. Raises `SessionNotFound` before `open`."""
        last = self._head()
        return SessionInfo(
            session=self.session,
            incarnation="local",
            head=last.seq,
            n=last.n,
            status="closed" if self._closed else "open",
            last_activity_ms=last.received_ms,
            skips=self._skips,
            epoch=self._epoch,
        )

    def _head(self) -> Record:
        if not self._records:
            raise SessionNotFound(self.session)
        return self._records[-1]

    def _numbers(self, drafts: Sequence[Draft]) -> dict[str, int]:
        names = {name for draft in drafts if (name := referenced_id(draft)) is not None}
        return {name: self._places[name][0].n for name in names if name in self._places}

    def _land(self, seals: Sequence[SealedDraft], epoch: int | None = None) -> list[Receipt]:
        self._head()
        fresh = self._fresh(seals)
        if self._closed and any(seal.kind != "d" for seal in seals if id(seal) in fresh):
            raise Closed(self.session)
        if fresh:
            self._check_epochs([seal for seal in seals if id(seal) in fresh], epoch)
        now = self.now_ms()
        return [
            self._append(seal, now)
            if id(seal) in fresh
            else Receipt(*self._place(seal.id), duplicate=True)
            for seal in seals
        ]

    def _check_epochs(self, fresh: Sequence[SealedDraft], expected: int | None) -> None:
        epoch = self._epoch
        if expected is not None and expected != epoch:
            raise StaleEpoch(self.session, expected, epoch)
        for seal in fresh:
            if seal.kind[0] == "e":
                wanted_epoch = int(seal.kind[1:]) - 1
                if wanted_epoch != epoch:
                    raise StaleEpoch(self.session, wanted_epoch, epoch)
                epoch += 1

    def _fresh(self, seals: Sequence[SealedDraft]) -> set[int]:
        """Which of `seals` are not in the log yet. Raises `Conflict` before anything is written."""
        ahead: dict[str, str] = {}
        fresh: set[int] = set()
        for seal in seals:
            place = self._places.get(seal.id)
            standing_seq = place[1] if place else ahead.get(seal.id)
            if standing_seq is None:
                ahead[seal.id] = seal.fingerprint
                fresh.add(id(seal))
            elif standing_seq != seal.fingerprint and seal.kind != "d":
                seq = place[0].seq if place else len(self._records) + 1 + list(ahead).index(seal.id)
                raise Conflict(self.session, seal.id, seq)
        return fresh

    def _place(self, name: str) -> tuple[int, int]:
        receipt = self._places[name][0]
        return receipt.seq, receipt.n

    def _append(self, seal: SealedDraft, now_ms: int) -> Receipt:
        before = self._records[-1].n if self._records else 0
        receipt = Receipt(len(self._records) + 1, before + (seal.kind == "p"), duplicate=False)
        # decoded from the bytes, so that readers see what they would see from Redis
        entry = wire.decode(seal.body)
        self._records.append(Record(receipt.seq, receipt.n, seal.id, now_ms, entry))
        self._places[seal.id] = (receipt, seal.fingerprint)
        self._closed = self._closed or seal.kind == "x"
        self._epoch += seal.kind[0] == "e"
        return receipt
