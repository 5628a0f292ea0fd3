"""Whether a session is whole, live or in a file: its log, and all that is told from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import anyio.to_thread

from parley.bus import Snapshot
from parley.bus.contract.errors import SnapshotDamaged
from parley.bus.contract.whole_log import last_epoch
from parley.bus.sessions.audit import StoredSession
from parley.bus.sessions.session_file import SessionFile
from parley.bus.sessions.stored_rows import StoredRow, iterate_records
from parley.listeners.cache.memory_cache import Progress, say_nothing
from parley.memory.errors import DomainError
from parley.memory.fold import canonical_bytes
from parley.memory.fold.replay import list_set_aside, replay
from parley.memory.state.memory import FOLD, Memory
from parley.server.records.log_audit import find_faults, index_findings, status_findings
from parley.server.runtime.backend import Backend
from parley.server.runtime.packs import Packs, read_packs
from parley.server.settings import Settings


def verify_file(
    file: SessionFile, settings: Settings, progress: Progress = say_nothing
) -> list[str]:
    """What is wrong with the log of a file; empty for a sound one.

    Reading the file has shown that its bytes are those that were written.
    """
    findings = [*find_faults(file.rows), *status_findings(file.status, file.rows)]
    skipped = list_set_aside(iterate_records(file.rows))
    replay_here = _Replay(file.session, file.rows, skipped, read_packs(settings.packs), progress)
    return findings or list(replay_here.findings(None))


async def verify_session(backend: Backend, session: str) -> list[str]:
    """What is wrong with a live session; empty for a sound one.

    Folding it once and a half may take minutes; the loop stays free meanwhile, and the
    progress of the backend's reader is told.
    """
    audit = await backend.bus.audit(session)
    stored, damage = None, ""
    try:
        stored = await backend.bus.snapshot(session, FOLD, strict=True)
    except SnapshotDamaged as damaged:
        damage = str(damaged)
    skips = frozenset(audit.skips)
    replay_here = _Replay(session, audit.rows, skips, backend.packs, backend.reader.progress)
    findings = await _in_thread(lambda: _live(audit, stored, replay_here))
    return [*findings, damage] if damage else findings


async def _in_thread(find: Callable[[], Iterator[str]]) -> list[str]:
    """What `find` yields. Who is cancelled does not wait for the thread: its data is its own."""
    return await anyio.to_thread.run_sync(lambda: list(find()), abandon_on_cancel=True)


def _live(audit: StoredSession, stored: Snapshot | None, replay_here: _Replay) -> Iterator[str]:
    rows = audit.rows
    broken = list(find_faults(rows))
    yield from broken
    yield from index_findings(rows, audit.ids)
    last = rows[-1] if rows else StoredRow(0, 0, "", 0, b"")
    if (audit.head, audit.n) != (last.seq, last.n):
        yield f"meta says head {audit.head}, n {audit.n}; the log ends at {last.seq}, {last.n}"
    if audit.folded > audit.head:
        yield f"meta says folded {audit.folded}, past the head {audit.head}"
    skips = list_set_aside(iterate_records(rows))
    if set(audit.skips) != skips:
        yield f"meta skips {sorted(audit.skips)}; the log sets aside {sorted(skips)}"
    if broken:
        return
    epoch = last_epoch(iterate_records(rows))
    if audit.epoch != epoch:
        yield f"meta epoch {audit.epoch}; the log's floor is in {epoch}"
    yield from replay_here.findings(stored)


@dataclass(frozen=True, slots=True)
class _Replay:
    """A log to be folded, without what was set aside."""

    session: str
    rows: Sequence[StoredRow]
    skipped: frozenset[int]
    packs: Packs
    progress: Progress

    def findings(self, stored: Snapshot | None) -> Iterator[str]:
        """Memory in one go, and in two with a save between, must be the same; so must `stored`."""
        half = len(self.rows) // 2
        upto = stored.upto if stored else half
        try:
            dumps = self._dumps({half, upto, len(self.rows)})
            memory = canonical_bytes.load(dumps[half], self.packs.known, half)
            self._fold(memory, half, len(self.rows), again=len(self.rows) - half)
        except DomainError as error:
            yield f"the log cannot be replayed: {error}"
            return
        if canonical_bytes.dump(memory) != dumps[len(self.rows)]:
            yield "memory saved halfway and carried on differs from its replay; report this"
        if stored is not None:
            yield from self._of_snapshot(stored, dumps.get(upto, b""))

    def _dumps(self, places: set[int]) -> dict[int, bytes]:
        """The memory's bytes at these places of the log, folded in one go."""
        memory, dumps, first = Memory(self.packs.known), {}, 0
        for last in sorted(place for place in places if 0 <= place <= len(self.rows)):
            self._fold(memory, first, last)
            dumps[last] = canonical_bytes.dump(memory)
            first = last
        return dumps

    def _fold(self, memory: Memory, first: int, last: int, again: int = 0) -> None:
        """Entries `first` to `last`, of which so many were read before."""
        total = len(self.rows) + len(self.rows) - len(self.rows) // 2
        records = iterate_records(islice(self.rows, first, last))
        for record, _ in replay(memory, records, self.skipped):
            self.progress(self.session, record.seq + again, total)

    def _of_snapshot(self, stored: Snapshot, folded: bytes) -> Iterator[str]:
        """The stored snapshot must be the fold of the log up to where it says."""
        if not 1 <= stored.upto <= len(self.rows):
            yield f"the snapshot reaches {stored.upto}, the log {len(self.rows)}"
            return
        row = self.rows[stored.upto - 1]
        identity = f"{row.seq}-{row.n} {row.received_ms} {row.id}"
        if (stored.identity, stored.n) != (identity, row.n):
            yield f"the snapshot was taken at {stored.identity!r}, the log has {identity!r} there"
        honoured = sum(skip <= stored.upto for skip in self.skipped)
        if stored.skips > honoured:
            yield f"the snapshot honours {stored.skips} entries set aside; there are {honoured}"
        if stored.skips != honoured:
            return  # taken before an entry was set aside: nobody builds on it any more
        if folded != stored.data:
            yield f"the snapshot at {stored.upto} differs from the replay of the log"
