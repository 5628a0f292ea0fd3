"""The server of a data directory: one, whatever is killed in whatever order.

- `server.lock` is the server's standard output. A file lock belongs to the open
  file, so this one lasts exactly as long as the server lives; no process id in
  a file could say that as surely. Who gets it may repair the data and start.
- `server.version` records which version wrote the data: an older server refuses it.
- `server.json` says where the living server answers. With the lock free it is a
  relic, whichever program has its process id now.
- The server ends with the process that started it (`server_process`). Of those that
  joined it, one that lasts starts it again, at the same address.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import IO, Final

import anyio

from parley.bus.connection.event_log import EventLog
from parley.bus.connection.tasks import Child, TaskHost
from parley.bus.contract.errors import Unavailable
from parley.bus.embedded.append_only_file import repair
from parley.bus.embedded.data_version import claim_data
from parley.bus.embedded.server_binary import Binary
from parley.bus.embedded.server_process import (
    Server,
    command_line,
    identify_server,
    launch,
    stop,
    wait_until_ready,
)

_SOCKET_PATH_BYTES: Final = 100  # Linux takes 107, macOS 103
LOOK_SECONDS: Final = 0.5  # between two looks at whether the server is still there

_logger = EventLog(__name__)


@asynccontextmanager
async def join_or_start(
    binary: Binary, data: Path, answer_seconds: float, *, lasting: bool
) -> AsyncIterator[Server]:
    """The server of `data`, started or joined; see `embedded.serve`."""
    tenure = _Tenure(binary, _make_folder(data), answer_seconds)
    try:
        server = await tenure.begin()
        tasks = TaskHost("parley-embedded", _log_death)
        if lasting:
            tasks.start("parley-embedded-keeper", tenure.keep)
        try:
            yield server
        finally:
            await tasks.aclose()
    finally:
        with anyio.CancelScope(shield=True):
            await tenure.finish()


def _log_death(_: Child, error: Exception) -> None:
    """The server serves on, but nobody starts it again."""
    _logger.error("embedded_keeper_died", reason=repr(error))


class _Tenure:
    """The part of this process in the server of a directory: it started it, or joined it."""

    def __init__(self, binary: Binary, data: Path, answer_seconds: float) -> None:
        self._binary, self._data, self._answer_seconds = binary, data, answer_seconds
        self._record = data / "server.json"
        self._own: subprocess.Popen[bytes] | None = None

    async def begin(self) -> Server:
        """Join the server that there is, else start it."""
        lock_or_server = await _lock_or_join(self._data, self._answer_seconds)
        if isinstance(lock_or_server, Server):
            return lock_or_server
        socket, log = _socket(self._data), self._data / "server.log"
        with lock_or_server as lock:  # from the launch on, the server alone holds it
            self._record.unlink(missing_ok=True)
            claim_data(self._data, self._binary)
            cut = await anyio.to_thread.run_sync(repair, self._data, self._binary)
            program = command_line(self._binary, self._data, socket, log, keep=True)
            self._own = launch(program, stdout=lock)
        await wait_until_ready(self._own, socket, log)
        server = Server(f"unix://{socket}", self._binary.kind, self._own.pid, durable=True, cut=cut)
        _write_record(self._record, server)
        return server

    async def keep(self) -> None:
        """Start or join again whenever the server is gone. Never returns."""
        while True:
            await anyio.sleep(LOOK_SECONDS)
            if not self._gone():
                continue
            await self.finish()
            try:
                server = await self.begin()
            except (Unavailable, OSError) as error:
                await self.finish()  # nobody could be told of one without a record
                _logger.warning("embedded_missing", reason=str(error))
            else:
                _logger.warning("embedded_again", pid=server.pid, joined=server.joined)

    async def finish(self) -> None:
        """End the server where it is this process' own."""
        if (own := self._own) is None:
            return
        self._own = None
        # before the server ends, so that nobody joins it any more; unless
        # it was killed and another process has started one since
        if (record := _read_record(self._record)) and record.pid == own.pid:
            self._record.unlink(missing_ok=True)
        await stop(own)

    def _gone(self) -> bool:
        if self._own is not None:
            return self._own.poll() is not None
        with suppress(OSError), (self._data / "server.lock").open("ab") as lock:
            return _try_lock(lock)  # and free again at once
        return False


async def _lock_or_join(data: Path, answer_seconds: float) -> IO[bytes] | Server:
    """The lock of `data`, or the server that holds it."""
    lock = (data / "server.lock").open("ab")
    deadline = anyio.current_time() + answer_seconds
    try:
        while anyio.current_time() < deadline:
            if _try_lock(lock):
                return lock
            record = _read_record(data / "server.json")
            answer = await identify_server(_socket(data))
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


def _try_lock(lock: IO[bytes]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _make_folder(data: Path) -> Path:
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
    if len(os.fsencode(socket)) <= _SOCKET_PATH_BYTES:
        return socket
    folder = Path(tempfile.gettempdir()) / f"parley-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid() or folder.stat().st_mode & 0o077:
        raise Unavailable(f"{str(folder)!r} is not yours alone; remove it, or use a shorter --data")
    return folder / f"{blake2b(os.fsencode(data), digest_size=8).hexdigest()}.sock"


def _write_record(record: Path, server: Server) -> None:
    fields = {"url": server.url, "kind": server.kind, "pid": server.pid}
    fresh = record.with_suffix(".new")
    fresh.write_text(json.dumps(fields) + "\n")
    fresh.replace(record)


def _read_record(record: Path) -> Server | None:
    try:
        fields = json.loads(record.read_text())
        return Server(fields["url"], fields["kind"], int(fields["pid"]), durable=True, joined=True)
    except (OSError, ValueError, KeyError, TypeError):
        return None  # not there, or not ours: what it says is not needed
