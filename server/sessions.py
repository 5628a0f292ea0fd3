"""Sessions as wholes: opened, listed, closed, saved, restored, forked, removed."""

from __future__ import annotations

import contextlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bus import Bus
from bus.audit import verbatim
from bus.errors import SessionClosed, SessionExists
from memory.presets import DEFAULT
from server.audit import findings, forked, status_findings
from server.errors import BadSessionFile, Failure, Misuse
from server.files import SessionFile, write_file
from server.opening import opening
from server.packs import read_packs
from server.running import connected
from server.settings import Settings


async def new(settings: Settings, session: str, title: str | None) -> None:
    """Opens a session. Raises `SessionExists`."""
    entry = opening(settings, read_packs(settings.packs), title)
    async with connected(settings) as running:
        await running.bus.open(session, entry)


async def listed(settings: Settings, limit: int) -> list[dict[str, Any]]:
    """The sessions of latest activity."""
    async with connected(settings) as running:
        return [asdict(info) for info in await running.bus.sessions(0, limit)]


async def shown(settings: Settings, session: str) -> dict[str, Any]:
    """Where one session stands, and what it was opened with. Raises `SessionNotFound`."""
    async with connected(settings) as running:
        info = asdict(await running.bus.info(session))
        first = await running.bus.read(session, 0, count=1)
    opened = [one.entry for one in first if one.entry.kind == "session.opened"]
    tree = getattr(opened[0], "settings", {}) if opened else {}
    return {**info, "preset": tree.get("preset", DEFAULT)}


async def close(settings: Settings, session: str, reason: str) -> None:
    """Closes a session. Raises `SessionClosed` where it is already."""
    async with connected(settings) as running:
        await running.bus.close(session, reason)


async def export(settings: Settings, session: str) -> SessionFile:
    """The session as a file holds it."""
    async with connected(settings) as running:
        return await _whole(running.bus, session)


async def _whole(bus: Bus, session: str) -> SessionFile:
    audit = await bus.audit(session)
    return SessionFile(session, audit.status, audit.rows)


async def archive(settings: Settings, session: str, path: Path) -> None:
    """Closes, saves, then marks: a session is never marked without its file."""
    async with connected(settings) as running:
        bus = running.bus
        with contextlib.suppress(SessionClosed):  # closed before: save and mark it all the same
            await bus.close(session, "archived")
        file = await _whole(bus, session)
        write_file(path, SessionFile(file.session, "archived", file.rows))
        await bus.mark(session, "archived")


async def restore(settings: Settings, file: SessionFile, session: str, replace: bool) -> None:
    """Puts a file's log in place under the name `session`.

    Raises `Failure` where one is there, unless told to `replace`, and `BadSessionFile` for
    a log that no session can have.
    """
    for finding in (*findings(file.rows), *status_findings(file.status, file.rows)):
        raise BadSessionFile(f"{finding}; the file was not written by 'parley session export'")
    async with connected(settings) as running:
        try:
            await running.bus.restore(session, verbatim(file.rows), replace=replace)
        except SessionExists:
            raise Failure(
                f"session {session!r} exists; --as NAME restores under another name, "
                "--replace overwrites it"
            ) from None
        if file.status == "archived":
            await running.bus.mark(session, "archived")


async def fork(settings: Settings, session: str, name: str, at: int | None) -> int:
    """Opens `name` with the past of `session` up to primary entry `at`; gives `at`."""
    async with connected(settings) as running:
        file = await _whole(running.bus, session)
        last = file.n if at is None else at
        if last > file.n:
            raise Misuse(f"--at {last}: {session!r} has {file.n} primary entries")
        if name == session:
            raise Misuse("a fork needs a name of its own")
        rows = forked(file.rows, session, last)
        await running.bus.restore(name, verbatim(rows))
        return last


async def remove(settings: Settings, session: str) -> None:
    """Removes a session. Raises `SessionNotFound`."""
    async with connected(settings) as running:
        await running.bus.info(session)
        await running.bus.remove(session)
