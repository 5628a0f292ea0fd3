"""Whether a session is whole, live or in a file: its log, and all that is told from it.

A log is read once, page by page: no more of it is held than its ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import anyio.to_thread

from parley.bus import Bus, Snapshot
from parley.bus.contract.errors import BusError, SnapshotDamaged
from parley.bus.entries import Record
from parley.bus.sessions.audit import AuditPage, StoredState
from parley.bus.sessions.session_file import SessionFile
from parley.bus.sessions.stored_rows import StoredRow, iterate_records
from parley.listeners.cache.fold_build import fold_build
from parley.listeners.cache.memory_cache import Progress, say_nothing
from parley.memory.errors import DomainError
from parley.memory.fold import canonical_bytes
from parley.memory.fold.apply import apply
from parley.memory.fold.replay import list_set_aside
from parley.memory.state.memory import Memory
from parley.server.records.log_audit import IndexCheck, LogCheck, status_findings
from parley.server.runtime.backend import Backend
from parley.server.runtime.packs import Packs, read_packs
from parley.server.runtime.status import read_reasons
from parley.server.settings import Settings

_TRIES: Final = 3  # readings of a session that others replace or redact meanwhile


def verify_file(
    file: SessionFile, settings: Settings, progress: Progress = say_nothing
) -> list[str]:
    """What is wrong with the log of a file; empty for a sound one.

    Reading the file has shown that its bytes are those that were written.
    """
    skipped = list_set_aside(iterate_records(file.rows))
    log = LogCheck()
    folds = _TwoFolds(file.session, len(file.rows), skipped, read_packs(settings.packs), progress)
    findings: list[str] = []
    for row, record in zip(file.rows, iterate_records(file.rows), strict=True):
        findings += log.take(row, record.entry)
        if not findings:
            folds.take(record)
    findings += [*log.end(), *status_findings(file.status, file.rows)]
    return findings or list(folds.findings(None))


async def verify_session(backend: Backend, session: str) -> list[str]:
    """What is wrong with a live session; empty for a sound one.

    Folding it once and a half may take minutes; the loop stays free meanwhile, and the
    progress of the backend's reader is told. What is published meanwhile is left out.

    Raises `BusError` where it is replaced or redacted again and again meanwhile.
    """
    for _ in range(_TRIES):
        findings = await _verify_once(backend, session)
        if findings is not None:
            return findings or await _standstill(backend.bus, session)
    raise BusError(f"session {session!r} was replaced while it was read; verify it again")


async def _standstill(bus: Bus, session: str) -> list[str]:
    """Why nothing more of it is folded, where a worker that lives says so."""
    reasons = await read_reasons(bus)
    info = await bus.info(session)
    if session not in reasons or info.folded >= info.head:
        return []
    return [f"entries after {info.folded} of {info.head} are not folded: {reasons[session]}"]


async def _verify_once(backend: Backend, session: str) -> list[str] | None:
    """`verify_session`; None where another session stood in its place at the end."""
    bus = backend.bus
    stored, damage = None, []
    try:
        stored = await bus.snapshot(session, fold_build(), strict=True)
    except SnapshotDamaged as damaged:
        damage = [str(damaged)]
    state = await bus.audit_state(session)
    reading = _LiveReading(session, state, stored, backend.packs, backend.reader.progress)
    async for page in bus.audit_pages(session):
        # who is cancelled does not wait for the thread: its data is its own
        await anyio.to_thread.run_sync(reading.take, page, abandon_on_cancel=True)
    after = await bus.audit_state(session)
    if after.incarnation != state.incarnation:
        return None
    findings = await anyio.to_thread.run_sync(reading.end, after, abandon_on_cancel=True)
    if after.ids != reading.index.count:
        meanwhile = range(state.head + 1, after.head + 1)
        strangers = await bus.audit_strangers(session, reading.index.seen, meanwhile)
        findings[reading.indexed : reading.indexed] = map(IndexCheck.describe_stranger, strangers)
    return [*findings, *damage]


class _LiveReading:
    """A stored log as it is read, page by page, beside what is stored of it elsewhere."""

    def __init__(
        self, session: str, state: StoredState, stored: Snapshot | None, packs: Packs,
        progress: Progress,
    ) -> None:  # fmt: skip
        self._state, self._stored = state, stored
        self._log, self.index = LogCheck(), IndexCheck()
        upto = None if stored is None else stored.upto
        skipped = frozenset(state.skips)
        self._folds = _TwoFolds(session, state.head, skipped, packs, progress, upto)
        self._faults: list[str] = []
        self._beyond: list[tuple[StoredRow, str | None]] = []
        self.indexed = 0  # findings of the log and the index: strangers to it come after them

    def take(self, page: AuditPage) -> None:
        for row, place in page:
            if row.seq > self._state.head:
                self._beyond.append((row, place))
            else:
                self._read(row, place)

    def _read(self, row: StoredRow, place: str | None) -> None:
        (record,) = iterate_records((row,))
        self._faults += self._log.take(row, record.entry)
        self.index.take(row, record.entry, place)
        if not self._faults:
            self._folds.take(record)

    def end(self, after: StoredState) -> list[str]:
        """Everything that is wrong; `after` is how the session stands now."""
        for row, place in self._beyond:
            if row.seq > after.head:  # no publishing explains it
                self._read(row, place)
            else:
                self.index.pass_over(row.id)
        faults = [*self._faults, *self._log.end(), *self.index.end()]
        self.indexed = len(faults)
        return [*faults, *self._of_the_state()]

    def _of_the_state(self) -> Iterator[str]:
        state, log = self._state, self._log
        if (state.head, state.n) != (log.seq, log.n):
            yield f"meta says head {state.head}, n {state.n}; the log ends at {log.seq}, {log.n}"
        if state.folded > state.head:
            yield f"meta says folded {state.folded}, past the head {state.head}"
        if set(state.skips) != log.skips:
            yield f"meta skips {sorted(state.skips)}; the log sets aside {sorted(log.skips)}"
        if self._faults or log.seq == 0:
            return
        if state.epoch != log.epoch:
            yield f"meta epoch {state.epoch}; the log's floor is in {log.epoch}"
        yield from self._folds.findings(self._stored)


class _TwoFolds:
    """A log folded in one go and, from its middle on, by a memory that was saved and read there.

    `total` entries are to come, without those `skipped`; the bytes after entry `upto` are kept.
    """

    def __init__(
        self, session: str, total: int, skipped: frozenset[int], packs: Packs,
        progress: Progress, upto: int | None = None,
    ) -> None:  # fmt: skip
        self._session, self._total, self._upto = session, total, upto
        self._skipped, self._packs, self._progress = skipped, packs.known, progress
        self._half, self._done, self._seq = total // 2, 0, 0
        self._memory = Memory(self._packs)
        self._again: Memory | None = None
        self._at: tuple[Record, bytes] | None = None  # entry `upto`, and memory's bytes after it
        self._error = ""
        self._save()

    def take(self, record: Record) -> None:
        """Fold the next entry."""
        if self._error:
            return
        try:
            for memory in filter(None, (self._memory, self._again)):
                if record.seq not in self._skipped:
                    apply(memory, record)
                self._done += 1
            self._seq = record.seq
            self._save()
        except DomainError as error:
            self._error = f"the log cannot be replayed: {error}"
        if record.seq == self._upto:
            self._at = record, canonical_bytes.dump(self._memory)
        self._progress(self._session, self._done, 2 * self._total - self._half)

    def _save(self) -> None:
        if self._seq == self._half:
            data = canonical_bytes.dump(self._memory)
            self._again = canonical_bytes.load(data, self._packs, self._half)

    def findings(self, stored: Snapshot | None) -> Iterator[str]:
        """Both memories must be the same, and `stored` one of them on the way."""
        if self._error:
            yield self._error
            return
        both = [canonical_bytes.dump(memory) for memory in (self._memory, self._again) if memory]
        if both[0] != both[-1]:
            yield "memory saved halfway and carried on differs from its replay; report this"
        if stored is not None:
            yield from self._of_snapshot(stored)

    def _of_snapshot(self, stored: Snapshot) -> Iterator[str]:
        """The stored snapshot must be the fold of the log up to where it says."""
        if self._at is None:
            yield f"the snapshot reaches {stored.upto}, the log {self._seq}"
            return
        record, folded = self._at
        if (stored.identity, stored.n) != (record.identity, record.n):
            identity = record.identity
            yield f"the snapshot was taken at {stored.identity!r}, the log has {identity!r} there"
        honoured = sum(skip <= stored.upto for skip in self._skipped)
        if stored.skips > honoured:
            yield f"the snapshot honours {stored.skips} entries set aside; there are {honoured}"
        if stored.skips != honoured:
            return  # taken before an entry was set aside: nobody builds on it any more
        if folded != stored.data:
            yield f"the snapshot at {stored.upto} differs from the replay of the log"
