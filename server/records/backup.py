"""Backups: a directory that holds a session file for each session.

Each run writes the sessions that have changed and checks the files of the others, so that
a run that was cut short goes on where it stopped, and a damaged file is written anew. What
was removed from Redis stays in the directory.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread
from msgspec import Struct, field

from parley.bus import Bus
from parley.bus.connection.task_groups import open_task_group
from parley.bus.contract.errors import (
    BadSessionFile,
    BusError,
    SessionDamaged,
    SessionNotFound,
    Unavailable,
)
from parley.bus.contract.session_info import DAMAGED, SessionInfo
from parley.bus.sessions.session_file import SessionFile
from parley.server.basics.errors import Failure
from parley.server.records.session_file import (
    check_whole,
    export_session,
    read_file,
    restore_session,
    write_file,
)

AT_ONCE: Final = 4  # sessions in memory
EVERY_SESSION: Final = 10**7  # listed at once: pages would miss one that moves to the front

Progress = Callable[[str, int, int], None]
"""Called with the directory, the sessions done and all there are."""


class Outcome(Struct):
    """What became of the sessions: how many were written, how many were the same already.

    `failed` says by session, or by file where its session is not known, what went wrong.
    """

    written: int = 0
    unchanged: int = 0
    failed: dict[str, str] = field(default_factory=dict)


def name_of(session: str) -> str:
    """The file of a session; capitals are told apart where the file system does not."""
    if session == session.lower():
        return f"{session}.json"
    return f"{session}.{blake2b(session.encode(), digest_size=4).hexdigest()}.json"


async def back_up(bus: Bus, directory: Path, progress: Progress) -> Outcome:
    """Saves every session of `bus` in `directory`, while others publish.

    A session that cannot be saved is `failed` and keeps no other from being saved. Raises
    `Failure` where the directory cannot be written or another backup writes there, and
    `Unavailable`; what was saved by then is whole.
    """
    outcome = Outcome()

    async def save(info: SessionInfo) -> None:
        path = directory / name_of(info.session)
        if info.status == DAMAGED:
            outcome.failed[info.session] = f"damaged: see 'parley session verify {info.session}'"
        elif await _is_same(bus, info, await read_whole(path)):
            outcome.unchanged += 1
        else:
            file = await export_session(bus, info.session)
            await anyio.to_thread.run_sync(write_checked, path, file)
            outcome.written += 1

    with own_directory(directory):
        infos = await bus.sessions(0, EVERY_SESSION)
        await for_each(
            [(info.session, partial(save, info)) for info in infos], directory, outcome, progress
        )
    return outcome


async def restore_backup(
    bus: Bus, directory: Path, sessions: Sequence[str], progress: Progress, *, replace: bool
) -> Outcome:
    """Puts the sessions in `directory` in place, all of them or those named, and reads them back.

    One that is there already with the same log is `unchanged`; one with another log is
    `failed` unless `replace`. Raises `Failure` where there is nothing to restore, and
    `Unavailable`; a second run goes on where the first ended.
    """
    outcome = Outcome()
    paths = _files_of(directory, sessions)

    async def restore(path: Path) -> None:
        file = await anyio.to_thread.run_sync(_read_checked, path)
        there, info = True, None
        try:
            info = await bus.info(file.session)
        except SessionNotFound:
            there = False
        except SessionDamaged:
            pass  # it has no log that could be the file's
        if info is not None and await _is_same(bus, info, file):
            outcome.unchanged += 1
        elif there and not replace:
            outcome.failed[file.session] = "is there with another log; --replace overwrites it"
        else:
            await restore_session(bus, file.session, file, replace=replace)
            outcome.written += 1
            if (await bus.audit(file.session)).rows != file.rows:
                outcome.failed[file.session] = "was changed while it was restored; run it again"

    await for_each(
        [(path.name, partial(restore, path)) for path in paths], directory, outcome, progress
    )
    return outcome


async def for_each(
    tasks: Sequence[tuple[str, Callable[[], Awaitable[None]]]],
    directory: Path,
    outcome: Outcome,
    progress: Progress,
) -> None:
    """Runs each, a few at a time; what is wrong with one session is its own."""
    limiter, done = anyio.CapacityLimiter(AT_ONCE), 0

    async def run(name: str, task: Callable[[], Awaitable[None]]) -> None:
        nonlocal done
        async with limiter:
            try:
                await task()
            except Unavailable:
                raise
            except SessionNotFound:
                pass  # removed meanwhile
            except (BusError, BadSessionFile) as error:
                outcome.failed[name] = str(error)
        done += 1
        progress(str(directory), done, len(tasks))

    async with open_task_group() as group:
        for name, task in tasks:
            group.start_soon(run, name, task)


async def _is_same(bus: Bus, info: SessionInfo, file: SessionFile | None) -> bool:
    """Whether a file holds the log that a session has: as long, and with the same last entry."""
    if file is None or (file.session, file.status, file.head) != (
        info.session, info.status, info.head,
    ):  # fmt: skip
        return False
    saved, last = file.rows[-1:], await bus.read(info.session, info.head - 1, count=1)
    return [(row.seq, row.n, row.id, row.received_ms) for row in saved] == [
        (record.seq, record.n, record.id, record.received_ms) for record in last
    ]


async def read_whole(path: Path) -> SessionFile | None:
    """The session in a file whose checksum holds; None for one to be written anew."""

    def read() -> SessionFile | None:
        try:
            return read_file(path) if path.exists() else None
        except BadSessionFile:
            return None

    return await anyio.to_thread.run_sync(read)


def _read_checked(path: Path) -> SessionFile:
    file = read_file(path)
    check_whole(file)
    return file


def write_checked(path: Path, file: SessionFile) -> None:
    """A log that no restore would take never replaces the file of one that it would."""
    check_whole(file)
    write_file(path, file)


def _files_of(directory: Path, sessions: Sequence[str]) -> list[Path]:
    if not directory.is_dir():
        raise Failure(f"no directory {str(directory)!r}")
    if not sessions:
        paths = sorted(p for p in directory.glob("*.json") if not p.name.startswith("."))
        if not paths:
            raise Failure(f"no session file in {str(directory)!r}; 'parley backup' writes them")
        return paths
    paths = [directory / name_of(session) for session in sessions]
    for session, path in zip(sessions, paths, strict=True):
        if not path.exists():
            raise Failure(f"no session {session!r} in {str(directory)!r}")
    return paths


@contextmanager
def own_directory(directory: Path) -> Iterator[None]:
    """The directory, made where it is missing, for one backup at a time; what was cut goes."""
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise Failure(f"cannot write {str(directory)!r}: {error.strerror}") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure(f"another backup is writing to {str(directory)!r}") from None
        for cut in directory.glob(".*.json.*"):
            cut.unlink(missing_ok=True)
        yield
    finally:
        os.close(handle)
