"""Whether a session is whole, live or in a file: its log, and all that is told from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import anyio.to_thread

from parley.bus import Snapshot
from parley.bus.contract.errors import SnapshotDamaged
from parley.bus.contract.whole_log import last_epoch
from parley.bus.sessions.audit import StoredSession
from parley.bus.sessions.session_file import SessionFile
from parley.bus.sessions.stored_rows import StoredRow, decode_rows
from parley.memory.errors import DomainError
from parley.memory.fold import canonical_bytes
from parley.memory.fold.replay import fold_records, list_set_aside
from parley.memory.state.memory import FOLD, Memory
from parley.server.records.log_audit import find_faults, index_findings, status_findings
from parley.server.runtime.backend import Backend
from parley.server.runtime.packs import Packs, read_packs
from parley.server.settings import Settings


def verify_file(file: SessionFile, settings: Settings) -> list[str]:
    """What is wrong with the log of a file; empty for a sound one.

    Reading the file has shown that its bytes are those that were written.
    """
    findings = [*find_faults(file.rows), *status_findings(file.status, file.rows)]
    skipped = list_set_aside(decode_rows(file.rows))
    return findings or list(_replay(file.rows, skipped, read_packs(settings.packs)))


async def verify_session(backend: Backend, session: str) -> list[str]:
    """What is wrong with a live session; empty for a sound one.

    Folding it twice may take seconds; the loop stays free meanwhile.
    """
    audit = await backend.bus.audit(session)
    findings = await _in_thread(lambda: _live(audit, backend.packs))
    try:
        stored = await backend.bus.snapshot(session, FOLD, strict=True)
    except SnapshotDamaged as damaged:
        return [*findings, str(damaged)]
    return findings or await _in_thread(lambda: _snapshot(stored, audit, backend.packs))


async def _in_thread(find: Callable[[], Iterator[str]]) -> list[str]:
    """What `find` yields. Who is cancelled does not wait for the thread: its data is its own."""
    return await anyio.to_thread.run_sync(lambda: list(find()), abandon_on_cancel=True)


def _live(audit: StoredSession, packs: Packs) -> Iterator[str]:
    rows = audit.rows
    broken = list(find_faults(rows))
    yield from broken
    yield from index_findings(rows, audit.ids)
    last = rows[-1] if rows else StoredRow(0, 0, "", 0, b"")
    if (audit.head, audit.n) != (last.seq, last.n):
        yield f"meta says head {audit.head}, n {audit.n}; the log ends at {last.seq}, {last.n}"
    if audit.folded > audit.head:
        yield f"meta says folded {audit.folded}, past the head {audit.head}"
    skips = list_set_aside(decode_rows(rows))
    if set(audit.skips) != skips:
        yield f"meta skips {sorted(audit.skips)}; the log sets aside {sorted(skips)}"
    if not broken and audit.epoch != last_epoch(decode_rows(rows)):
        yield f"meta epoch {audit.epoch}; the log's floor is in {last_epoch(decode_rows(rows))}"
    if not broken:
        yield from _replay(rows, frozenset(audit.skips), packs)


def _replay(rows: Sequence[StoredRow], skipped: frozenset[int], packs: Packs) -> Iterator[str]:
    """Memory in one go, and in two with a save between, must be the same."""
    try:
        whole = canonical_bytes.dump(_folded(rows, skipped, packs))
        half = canonical_bytes.dump(_folded(rows[: len(rows) // 2], skipped, packs))
        memory = canonical_bytes.load(half, packs.known, len(rows) // 2)
        fold_records(memory, decode_rows(rows[len(rows) // 2 :]), skipped)
    except DomainError as error:
        yield f"the log cannot be replayed: {error}"
        return
    if canonical_bytes.dump(memory) != whole:
        yield "memory saved halfway and carried on differs from its replay; report this as a bug"


def _snapshot(stored: Snapshot | None, audit: StoredSession, packs: Packs) -> Iterator[str]:
    """The stored snapshot must be the fold of the log up to where it says."""
    if stored is None:
        return
    if not 1 <= stored.upto <= len(audit.rows):
        yield f"the snapshot reaches {stored.upto}, the log {len(audit.rows)}"
        return
    row = audit.rows[stored.upto - 1]
    identity = f"{row.seq}-{row.n} {row.received_ms} {row.id}"
    if (stored.identity, stored.n) != (identity, row.n):
        yield f"the snapshot was taken at {stored.identity!r}, the log has {identity!r} there"
    honoured = frozenset(skip for skip in audit.skips if skip <= stored.upto)
    if stored.skips > len(honoured):
        yield f"the snapshot honours {stored.skips} entries set aside; there are {len(honoured)}"
    if stored.skips != len(honoured):
        return  # taken before an entry was set aside: nobody builds on it any more
    memory = _folded(audit.rows[: stored.upto], honoured, packs)
    if canonical_bytes.dump(memory) != stored.data:
        yield f"the snapshot at {stored.upto} differs from the replay of the log"


def _folded(rows: Sequence[StoredRow], skipped: frozenset[int], packs: Packs) -> Memory:
    return fold_records(Memory(packs.known), decode_rows(rows), skipped)
