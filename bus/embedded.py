"""A Redis server of our own, for laptops, demos and tests.

One server a data directory, whatever is killed in whatever order:

- `server.lock` is the server's standard output. A file lock belongs to the open
  file, so this one lasts exactly as long as the server lives; no process id in
  a file could say that as surely. Who gets it may repair the data and start.
- `server.json` says where the living server answers. With the lock free it is a
  relic, whichever program has its process id now.
- The server ends with the process that started it (`bus.child`).
"""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import IO, Final, Literal

import anyio

from bus.aof import Cut, repair
from bus.binaries import Binary, find, nothing_durable
from bus.child import ANSWER_SECONDS, ask, await_answer, ended, launch
from bus.errors import Unavailable

Mode = Literal["auto", "path", "bundled", "fake"]
Kind = Literal["path", "bundled", "fake"]

SOCKET_PATH_BYTES: Final = 100  # Linux takes 107, macOS 103


@dataclass(frozen=True, slots=True)
class Server:
    """Where the server answers.

    `durable`: it keeps its data; a power cut may lose the last second. `joined`:
    another process started it and will end it. `cut`: what a repair took off
    the end of the data before the start.
    """

    url: str
    kind: Kind
    pid: int
    durable: bool
    joined: bool = False
    cut: Cut | None = None


@asynccontextmanager
async def serve(
    mode: Mode = "auto",
    data_dir: Path | str | None = None,
    *,
    answer_seconds: float = ANSWER_SECONDS,
) -> AsyncIterator[Server]:
    """A server for as long as the context lasts.

    With `data_dir` it keeps its data there (AOF, everysec), or is the server
    that another process runs on that directory. Without, it keeps nothing and
    is this process' own. Raises `Unavailable`, saying what to do, when no
    server can be started, or the one that runs is silent for `answer_seconds`.
    """
    binary = None if mode == "fake" else find(mode)
    if data_dir is None:
        context = _private(binary) if binary else _fake()
    elif binary:
        context = _shared(binary, _made(Path(data_dir)), answer_seconds)
    else:
        why = "the fake server keeps nothing" if mode == "fake" else nothing_durable()
        raise Unavailable(f"cannot keep data in {str(data_dir)!r}: {why}")
    async with context as server:
        yield server


@asynccontextmanager
async def _private(binary: Binary) -> AsyncIterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="parley-"))
    socket, log = folder / "redis.sock", folder / "server.log"
    try:
        process = launch(_command(binary, folder, socket, log), stdout=subprocess.DEVNULL)
        async with ended(process):
            await await_answer(process, socket, log)
            yield Server(f"unix://{socket}", binary.kind, process.pid, durable=False)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@asynccontextmanager
async def _fake() -> AsyncIterator[Server]:
    if not all(importlib.util.find_spec(name) for name in ("fakeredis", "lupa")):
        raise Unavailable(f"{nothing_durable()}; nor is there the fake ('fakeredis[lua]')")
    program = Path(__file__).with_name("fake_server.py")
    process = launch([sys.executable, "-P", str(program)], stdout=subprocess.PIPE)
    async with ended(process):
        assert process.stdout  # noqa: S101 - it was asked for
        with process.stdout as said:
            line = await anyio.to_thread.run_sync(said.readline)
        if not line.strip().isdigit():
            raise Unavailable("the fake Redis server ended at once; its complaint is above")
        yield Server(f"redis://127.0.0.1:{int(line)}", "fake", process.pid, durable=False)


@asynccontextmanager
async def _shared(binary: Binary, data: Path, answer_seconds: float) -> AsyncIterator[Server]:
    found = await _lock_or_join(data, answer_seconds)
    if isinstance(found, Server):
        yield found
        return
    record, log, socket = data / "server.json", data / "server.log", _socket(data)
    with found as lock:  # from the launch on, the server alone holds it
        record.unlink(missing_ok=True)
        cut = await anyio.to_thread.run_sync(repair, data, binary)
        process = launch(_command(binary, data, socket, log, keep=True), stdout=lock)
    async with ended(process):
        await await_answer(process, socket, log)
        server = Server(f"unix://{socket}", binary.kind, process.pid, durable=True, cut=cut)
        _write_record(record, server)
        try:
            yield server
        finally:
            # before the server ends, so that nobody joins it any more; unless
            # it was killed and another process has started one since
            if (standing := _read_record(record)) and standing.pid == process.pid:
                record.unlink(missing_ok=True)


async def _lock_or_join(data: Path, answer_seconds: float) -> IO[bytes] | Server:
    """The lock of `data`, or the server that holds it."""
    lock = (data / "server.lock").open("ab")
    deadline = anyio.current_time() + answer_seconds
    try:
        while anyio.current_time() < deadline:
            if _locked(lock):
                return lock
            record = _read_record(data / "server.json")
            answer = await ask(_socket(data))
            if answer and record and answer.pid == record.pid and not answer.loading:
                lock.close()
                return record
            if answer and answer.loading:
                deadline = anyio.current_time() + answer_seconds
            await anyio.sleep(0.01)
    except BaseException:
        lock.close()
        raise
    lock.close()
    raise Unavailable(
        f"a server holds {str(data)!r} but does not answer; see {str(data / 'server.log')!r}, "
        "and end it, or use another --data"
    )


def _locked(lock: IO[bytes]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _command(
    binary: Binary, folder: Path, socket: Path, log: Path, *, keep: bool = False
) -> list[str]:
    directives = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(folder),
        "logfile": str(log),
        "save": "",
        "appendonly": "yes" if keep else "no",
        "appendfsync": "everysec",
        # the end was repaired before; what is torn now should stop the start
        "aof-load-truncated": "no",
        "maxmemory-policy": "noeviction",
    }
    return [
        binary.path,
        *(part for name, value in directives.items() for part in (f"--{name}", value)),
    ]


def _made(data: Path) -> Path:
    try:
        data = data.expanduser().resolve()
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        (data / "server.lock").touch()
    except OSError as error:
        raise Unavailable(
            f"cannot write to the data directory {str(data)!r} ({error.strerror}); "
            "use another --data"
        ) from error
    return data


def _socket(data: Path) -> Path:
    """`redis.sock` in `data`, or in a short private folder if that path is too long."""
    socket = data / "redis.sock"
    if len(os.fsencode(socket)) <= SOCKET_PATH_BYTES:
        return socket
    folder = Path(tempfile.gettempdir()) / f"parley-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid() or folder.stat().st_mode & 0o077:
        raise Unavailable(f"{str(folder)!r} is not yours alone; remove it, or use a shorter --data")
    return folder / f"{blake2b(os.fsencode(data), digest_size=8).hexdigest()}.sock"


def _write_record(record: Path, server: Server) -> None:
    told = {"url": server.url, "kind": server.kind, "pid": server.pid}
    fresh = record.with_suffix(".new")
    fresh.write_text(json.dumps(told) + "\n")
    fresh.replace(record)


def _read_record(record: Path) -> Server | None:
    try:
        told = json.loads(record.read_text())
        return Server(told["url"], told["kind"], int(told["pid"]), durable=True, joined=True)
    except (OSError, ValueError, KeyError, TypeError):
        return None  # not there, or not ours: what it says is not needed
