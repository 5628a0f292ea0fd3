"""Sessions as wholes: opened, listed, closed, saved, restored, forked, removed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from parley.bus import Bus
from parley.bus.contract.drafts import Receipt
from parley.bus.contract.errors import SessionClosed, SessionExists
from parley.bus.entries import SessionOpened
from parley.bus.sessions.audit import decode_rows, records_to_restore
from parley.memory.errors import PackMissing
from parley.memory.extraction.patterns.pattern_packs import Pack
from parley.memory.settings.presets import DEFAULT
from parley.memory.settings.session_settings import list_retired_keys
from parley.memory.state.memory import pack_key
from parley.server.basics.errors import BadSessionFile, Failure, Misuse, NotYet
from parley.server.records.log_audit import find_faults, fork_log, status_findings
from parley.server.records.session_file import SessionFile, write_file
from parley.server.records.session_opening import open_entry
from parley.server.runtime.connection import open_connection
from parley.server.runtime.packs import read_packs
from parley.server.settings import Settings


class HasBus(Protocol):
    """Whatever reaches a bus: what runs for one command, or is held for many."""

    @property
    def bus(self) -> Bus: ...


async def new(settings: Settings, session: str, title: str | None) -> None:
    """Opens a session. Raises `SessionExists`."""
    entry = open_entry(settings, read_packs(settings.packs), title)
    async with open_connection(settings) as running:
        await opened(running, session, entry)


async def opened(backend: HasBus, session: str, entry: SessionOpened) -> Receipt:
    """Opens a session with `entry`. Raises `SessionExists`."""
    return await backend.bus.open(session, entry)


async def listed(settings: Settings, limit: int) -> list[dict[str, Any]]:
    """The sessions of latest activity."""
    async with open_connection(settings) as running:
        return await rows(running, 0, limit)


async def rows(backend: HasBus, offset: int, count: int) -> list[dict[str, Any]]:
    """`count` sessions after the first `offset`, newest activity first."""
    return [asdict(info) for info in await backend.bus.sessions(offset, count)]


async def shown(settings: Settings, session: str) -> dict[str, Any]:
    """Where one session stands, and what it was opened with. Raises `SessionNotFound`."""
    async with open_connection(settings) as running:
        return await state(running, session)


async def state(backend: HasBus, session: str) -> dict[str, Any]:
    """Where one session stands, and the preset that it was opened with."""
    info = asdict(await backend.bus.info(session))
    first = await backend.bus.read(session, 0, count=1)
    entries = [record.entry for record in first if record.entry.kind == "session.opened"]
    tree = getattr(entries[0], "settings", {}) if entries else {}
    return {**info, "preset": tree.get("preset", DEFAULT)}


async def close_session(settings: Settings, session: str, reason: str) -> None:
    """Closes a session. Raises `SessionClosed` where it is already."""
    async with open_connection(settings) as running:
        await running.bus.close(session, reason)


async def export(settings: Settings, session: str) -> SessionFile:
    """The session as a file holds it."""
    async with open_connection(settings) as running:
        return await whole(running, session)


async def whole(backend: HasBus, session: str) -> SessionFile:
    """All of a session, as a file holds it. Raises `SessionNotFound`."""
    audit = await backend.bus.audit(session)
    return SessionFile(session, audit.status, audit.rows)


async def archive_session(settings: Settings, session: str, path: Path) -> None:
    """Closes, saves, then marks: a session is never marked without its file."""
    async with open_connection(settings) as running:
        bus = running.bus
        with contextlib.suppress(SessionClosed):  # closed before: save and mark it all the same
            await bus.close(session, "archived")
        file = await whole(running, session)
        write_file(path, SessionFile(file.session, "archived", file.rows))
        await bus.mark(session, "archived")


async def restore(settings: Settings, file: SessionFile, session: str, replace: bool) -> None:
    """Puts a file's log in place under the name `session`.

    Raises `Failure` where one is there, unless told to `replace`, and `BadSessionFile` for
    a log that no session can have.
    """
    check_whole(file)
    async with open_connection(settings) as running:
        try:
            await put_in_place(running, file, session, replace)
        except SessionExists:
            raise Failure(
                f"session {session!r} exists; --as NAME restores under another name, "
                "--replace overwrites it"
            ) from None


def check_whole(file: SessionFile) -> None:
    """Raises `BadSessionFile` for a log that no session can have."""
    for finding in (*find_faults(file.rows), *status_findings(file.status, file.rows)):
        raise BadSessionFile(f"{finding}; the file was not written by 'parley session export'")


def check_readable(file: SessionFile, packs: Mapping[str, Pack]) -> None:
    """Raises `PackMissing` for a log that is read with patterns that are not here."""
    for record in decode_rows([row for row in file.rows if b'"packs"' in row.body]):
        for ref in getattr(record.entry, "packs", None) or ():
            if ref.pack is None and pack_key(ref.name, ref.hash) not in packs:
                raise PackMissing(ref.name, ref.hash)


def without_effect(file: SessionFile) -> list[str]:
    """What the log of a file sets that is no setting any more, by dotted name."""
    of = [row for row in file.rows if b'"settings"' in row.body]
    trees = (getattr(record.entry, "settings", None) for record in decode_rows(of))
    return sorted({name for tree in trees if tree for name in list_retired_keys(tree)})


async def put_in_place(backend: HasBus, file: SessionFile, session: str, replace: bool) -> None:
    """Puts a file's log in place, one that `check_whole` let pass. Raises `SessionExists`."""
    whole = await asyncio.to_thread(
        records_to_restore, file.rows
    )  # seconds, of a file as long as may be
    await backend.bus.restore(session, whole, replace=replace)
    if file.status == "archived":
        await backend.bus.mark(session, "archived")


async def fork(settings: Settings, session: str, name: str, at: int | None) -> int:
    """Opens `name` with the past of `session` up to primary entry `at`; gives `at`."""
    async with open_connection(settings) as running:
        try:
            return await forked_from(running, session, name, at)
        except NotYet as early:
            raise Misuse(f"--at {early.at}: {session!r} has {early.n} primary entries") from None


async def forked_from(backend: HasBus, session: str, name: str, at: int | None) -> int:
    """Opens `name` with the past of `session`. Raises `SessionExists`, `NotYet`, `Misuse`."""
    file = await whole(backend, session)
    last = file.n if at is None else at
    if last > file.n:
        raise NotYet(last, file.n)
    if name == session:
        raise Misuse("a fork needs a name of its own")
    now_ms = await backend.bus.now_ms()
    records = await asyncio.to_thread(
        lambda: records_to_restore(fork_log(file.rows, session, last, now_ms))
    )
    await backend.bus.restore(name, records)
    return last


async def remove(settings: Settings, session: str) -> None:
    """Removes a session. Raises `SessionNotFound`."""
    async with open_connection(settings) as running:
        await gone(running, session)


async def gone(backend: HasBus, session: str) -> None:
    """Removes a session with all that belongs to it. Raises `SessionNotFound`."""
    await backend.bus.info(session)
    await backend.bus.remove(session)
