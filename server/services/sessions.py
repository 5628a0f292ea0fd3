"""Sessions as wholes: listed, saved, restored, forked, removed."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio.to_thread
from msgspec.structs import asdict

from parley.bus import Bus
from parley.bus.contract.errors import BadSessionFile, SessionClosed
from parley.bus.entries import Record
from parley.bus.sessions.session_file import SessionFile
from parley.bus.sessions.stored_rows import decode_rows, records_to_restore
from parley.memory.settings.presets import DEFAULT
from parley.memory.settings.setting_trees import list_retired_keys
from parley.server.basics.errors import Misuse, NotYet


async def list_sessions(bus: Bus, offset: int, count: int) -> list[dict[str, Any]]:
    """`count` sessions after the first `offset`, newest activity first."""
    return [asdict(info) for info in await bus.sessions(offset, count)]


async def read_session_state(bus: Bus, session: str) -> dict[str, Any]:
    """Where one session stands, and its preset. Raises `SessionNotFound`."""
    info = asdict(await bus.info(session))
    return {**info, "preset": opening_row(await bus.read(session, 0, count=1))["preset"]}


def opening_row(first: Sequence[Record]) -> dict[str, Any]:
    """The title and preset that the first entry of a log gives its session."""
    entry = first[0].entry if first else None
    tree = getattr(entry, "settings", {})
    return {"title": getattr(entry, "title", None), "preset": tree.get("preset", DEFAULT)}


async def export_session(bus: Bus, session: str) -> SessionFile:
    """A session as a file holds it. Raises `SessionNotFound`."""
    audit = await bus.audit(session)
    return SessionFile(session, audit.status, audit.rows)


async def archive_session(bus: Bus, session: str, path: Path) -> None:
    """Closes, saves, then marks: a session is never marked without its file."""
    from parley.server.records.session_file import write_file

    with contextlib.suppress(SessionClosed):  # closed before: save and mark it all the same
        await bus.close(session, "archived")
    file = await export_session(bus, session)
    write_file(path, SessionFile(file.session, "archived", file.rows))
    await bus.mark(session, "archived")


def check_whole(file: SessionFile) -> None:
    """Raises `BadSessionFile` for a log that no session can have."""
    from parley.listeners.sessions.forged_rows import check_voice
    from parley.server.records import log_audit  # loads the fold

    rows = file.rows
    for finding in (*log_audit.find_faults(rows), *log_audit.status_findings(file.status, rows)):
        raise BadSessionFile(f"{finding}; the file was not written by 'parley session export'")
    check_voice(rows)


def without_effect(file: SessionFile) -> list[str]:
    """What the log of a file sets that is no setting any more, by dotted name."""
    of = [row for row in file.rows if b'"settings"' in row.body]
    trees = (getattr(record.entry, "settings", None) for record in decode_rows(of))
    return sorted({name for tree in trees if tree for name in list_retired_keys(tree)})


async def restore_session(bus: Bus, session: str, file: SessionFile, *, replace: bool) -> None:
    """Puts a file's log in place, one that `check_whole` let pass. Raises `SessionExists`."""
    # seconds, of a file as long as may be
    records = await anyio.to_thread.run_sync(records_to_restore, file.rows, abandon_on_cancel=True)
    await bus.restore(session, records, replace=replace)
    if file.status == "archived":
        await bus.mark(session, "archived")


async def fork_session(bus: Bus, session: str, name: str, at: int | None) -> int:
    """Opens `name` with the past of `session` up to primary entry `at`, else all; gives `at`.

    Raises `SessionExists`, `NotYet`, `Misuse`.
    """
    from parley.server.records.log_audit import fork_log  # loads the fold

    file = await export_session(bus, session)
    last = file.n if at is None else at
    if last > file.n:
        raise NotYet(session, last, file.n)
    if name == session:
        raise Misuse("a fork needs a name of its own")
    now_ms = await bus.now_ms()
    records = await anyio.to_thread.run_sync(
        lambda: records_to_restore(fork_log(file.rows, session, last, now_ms)),
        abandon_on_cancel=True,
    )
    await bus.restore(name, records, origin=f"{session}@{last}")
    return last


async def remove_session(bus: Bus, session: str) -> None:
    """Removes a session with all that belongs to it. Raises `SessionNotFound`."""
    await bus.info(session)
    await bus.remove(session)
