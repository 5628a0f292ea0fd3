"""Sessions as wholes: listed, archived, forked, removed."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio.to_thread
from msgspec.structs import asdict

from parley.bus import Bus
from parley.bus.contract.errors import SessionClosed, SessionExists
from parley.bus.entries import Record
from parley.bus.sessions.session_file import SessionFile
from parley.bus.sessions.stored_rows import records_to_restore
from parley.memory.settings.presets import DEFAULT
from parley.server.basics.errors import Misuse, NotYet


async def list_sessions(bus: Bus, offset: int, count: int) -> list[dict[str, Any]]:
    """`count` sessions after the first `offset`, newest activity first."""
    return [asdict(info) for info in await bus.sessions(offset, count)]


async def list_with_workers(bus: Bus, offset: int, count: int) -> tuple[list[dict[str, Any]], bool]:
    """`list_sessions`, and whether a worker runs that folds them, or none is needed."""
    rows = await list_sessions(bus, offset, count)
    behind = any(row["folded"] < row["head"] for row in rows)
    return rows, not behind or any("fold" in each.lanes for each in await bus.workers())


async def list_skips(bus: Bus, session: str) -> list[int]:
    """The entries that no fold of the session reads, by seq. Raises `SessionNotFound`."""
    return list((await bus.info(session)).skips)


async def read_session_state(bus: Bus, session: str) -> dict[str, Any]:
    """Where one session stands, and its preset. Raises `SessionNotFound`."""
    info = asdict(await bus.info(session))
    return {**info, "preset": opening_row(await bus.read(session, 0, count=1))["preset"]}


def opening_row(first: Sequence[Record]) -> dict[str, Any]:
    """The title and preset that the first entry of a log gives its session."""
    entry = first[0].entry if first else None
    tree = getattr(entry, "settings", {})
    return {"title": getattr(entry, "title", None), "preset": tree.get("preset", DEFAULT)}


async def archive_session(bus: Bus, session: str, path: Path) -> None:
    """Closes, saves, then marks: a session is never marked without its file."""
    from parley.server.records.session_file import export_session, write_file

    with contextlib.suppress(SessionClosed):  # closed before: save and mark it all the same
        await bus.close(session, "archived")
    file = await export_session(bus, session)
    write_file(path, SessionFile(file.session, "archived", file.rows))
    await bus.mark(session, "archived")


async def fork_session(bus: Bus, session: str, name: str, at: int | None) -> int:
    """Opens `name` with the past of `session` up to primary entry `at`, else all; gives `at`.

    Raises `SessionExists`, `NotYet`, `Misuse`.
    """
    from parley.server.records.log_audit import fork_log  # loads the fold
    from parley.server.records.session_file import export_session

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
    try:
        await bus.restore(name, records, origin=f"{session}@{last}")
    except SessionExists:
        raise SessionExists(name) from None  # a fork replaces nothing
    return last


async def remove_session(bus: Bus, session: str) -> None:
    """Removes a session with all that belongs to it. Raises `SessionNotFound`."""
    await bus.remove(session)
