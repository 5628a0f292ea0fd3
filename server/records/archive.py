"""Old sessions are moved from Redis to a directory of session files, as `backup` writes them.

A session goes only once its file is on disk, was read back from there and holds what Redis has;
one in which somebody speaks meanwhile stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import anyio.to_thread

from parley.bus import Bus
from parley.bus.contract.errors import BusError
from parley.bus.contract.quotas import tenant_of
from parley.bus.contract.session_info import DAMAGED, SessionInfo
from parley.bus.sessions.session_file import SessionFile
from parley.server.records.backup import (
    EVERY_SESSION,
    Outcome,
    Progress,
    for_each,
    name_of,
    own_directory,
    read_whole,
    write_checked,
)
from parley.server.records.session_file import export_session


async def list_old(bus: Bus, seconds: int, tenant: str = "") -> list[SessionInfo]:
    """The sessions in which nothing has happened for `seconds`, by Redis' clock, oldest first.

    With `tenant` its own alone. One whose state cannot be read is none of them.
    """
    before = await bus.now_ms() - seconds * 1000
    return [
        info
        for info in reversed(await bus.sessions(0, EVERY_SESSION))
        if info.last_activity_ms <= before
        and info.status != DAMAGED
        and (not tenant or tenant_of(info.session) == tenant)
    ]


async def archive_old(
    bus: Bus, directory: Path, infos: Sequence[SessionInfo], progress: Progress
) -> Outcome:
    """Saves the sessions of `infos` in `directory` and removes them from Redis.

    `written` were moved; `failed` says why others stay, as does one of which the directory
    holds another log. Raises `Failure` where it cannot be written, and `Unavailable`; a second
    run goes on where the first ended.
    """
    outcome = Outcome()

    async def move(info: SessionInfo) -> None:
        path = directory / name_of(info.session)
        file = await export_session(bus, info.session)
        if file.head != info.head:
            raise BusError("has new entries; it stays")
        saved = await read_whole(path)
        if saved is not None and not _is_beginning(saved, file):
            raise BusError(f"{path} holds another log of that name; move it away first")
        await anyio.to_thread.run_sync(write_checked, path, file)
        if await read_whole(path) != file:
            raise BusError(f"{path} does not hold what was written; it stays")
        await bus.remove(info.session, saved=info)
        outcome.written += 1

    with own_directory(directory):
        await for_each(
            [(info.session, partial(move, info)) for info in infos], directory, outcome, progress
        )
    return outcome


def _is_beginning(saved: SessionFile, file: SessionFile) -> bool:
    """Whether `file` is the log of `saved`, or what became of it."""
    return saved.session == file.session and file.rows[: saved.head] == saved.rows
