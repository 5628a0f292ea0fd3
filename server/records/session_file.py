"""Session files: made of a session, read, written, checked and restored to one."""

from __future__ import annotations

from pathlib import Path

import anyio.to_thread

from parley.bus import Bus
from parley.bus.contract.errors import BadSessionFile
from parley.bus.sessions.copies import copy_of
from parley.bus.sessions.session_file import SessionFile, decode_file, encode_file
from parley.bus.sessions.stored_rows import records_to_restore
from parley.server.basics.disk_files import read_bytes, write_bytes


def read_file(path: Path, *, partial: bool = False) -> SessionFile:
    """The session in the file at `path`; see `decode_file`."""
    data = read_bytes(path)
    try:
        return decode_file(data, partial=partial)
    except BadSessionFile as error:
        raise BadSessionFile(f"{path}: {error}") from None


def write_file(path: Path, file: SessionFile) -> None:
    """Puts the file in place whole, or leaves what was there untouched."""
    write_bytes(path, encode_file(file))


async def export_session(bus: Bus, session: str, *, partial: bool = False) -> SessionFile:
    """A session as a file holds it. Raises `SessionNotFound`, `SessionDamaged` as `copy_log`."""
    return copy_of(await bus.audit(session), partial=partial)


def check_whole(file: SessionFile) -> None:
    """Raises `BadSessionFile` for a log that no session can have."""
    from parley.listeners.sessions.file_checks import check_voice
    from parley.server.records import log_audit  # loads the fold

    rows = file.rows
    for finding in (*log_audit.find_faults(rows), *log_audit.status_findings(file.status, rows)):
        raise BadSessionFile(f"{finding}; the file was not written by 'parley session export'")
    check_voice(rows)


async def restore_session(bus: Bus, session: str, file: SessionFile, *, replace: bool) -> None:
    """Puts a file's log in place, one that `check_whole` let pass. Raises `SessionExists`."""
    # seconds, of a file as long as may be
    records = await anyio.to_thread.run_sync(records_to_restore, file.rows, abandon_on_cancel=True)
    await bus.restore(session, records, replace=replace)
    if file.status == "archived":
        await bus.mark(session, "archived")
