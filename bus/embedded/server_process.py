"""A server process that ends with the process that started it.

Its end hangs on a pipe: when the starter is gone, kill -9 included, the `read`
of a small shell returns and the server gets SIGTERM. That shell shares the
server's process group, which keeps the server's id from being given to another
program for as long as the shell may use it. (Linux' parent-death signal would
do the same but follows the starting *thread*, and other systems lack it.)
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Final, Literal

import anyio
from msgspec import Struct

from parley.bus.contract.errors import Unavailable
from parley.bus.embedded.append_only_file import TornEnd
from parley.bus.embedded.server_binary import Binary

ANSWER_SECONDS: Final = 30.0  # a start takes 4-20 ms; loading data resets the clock
_STOP_SECONDS: Final = 10.0  # writing the last second of an AOF to a slow disk

# the server takes the shell's place, and so its process id
_SHELL: Final = """
exec 3<&0
{ read -r _ <&3; kill -TERM $$; } </dev/null >/dev/null 2>&1 &
exec 3<&-
exec "$@" </dev/null
"""


Kind = Literal["path", "bundled", "fake"]


class Server(Struct, frozen=True):
    """A running server: its address, kind and process.

    `durable`: it keeps its data; a power cut may lose the last second. `joined`:
    another process started it and will end it. `cut`: what a repair took off
    the end of the data before the start.
    """

    url: str
    kind: Kind
    pid: int
    durable: bool
    joined: bool = False
    cut: TornEnd | None = None


class ServerIdentity(Struct, frozen=True):
    pid: int
    loading: bool


def launch(
    program: Sequence[str], *, stdout: int | IO[bytes], stderr: int | IO[bytes] | None = None
) -> subprocess.Popen[bytes]:
    """Start `program`; it gets SIGTERM when this process ends, and no Ctrl-C before."""
    return subprocess.Popen(  # noqa: S603 - a fixed shell text, the program as its arguments
        ["/bin/sh", "-c", _SHELL, "sh", *program],
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
    )


def command_line(
    binary: Binary, folder: Path, socket: Path, log: Path, *, keep: bool = False
) -> list[str]:
    """How `binary` is called; with `keep` it writes an append-only file."""
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


@asynccontextmanager
async def stop_on_exit(process: subprocess.Popen[bytes]) -> AsyncIterator[None]:
    """End `process` when the context ends, however it ends."""
    try:
        yield
    finally:
        with anyio.CancelScope(shield=True):
            await stop(process)


async def stop(process: subprocess.Popen[bytes]) -> None:
    """SIGTERM, and SIGKILL to its whole group if that does not end it in time.

    Redis looks for signals ten times a second, so this takes up to 100 ms.
    """
    process.terminate()
    with anyio.move_on_after(_STOP_SECONDS):
        await _gone(process)
    if process.returncode is None:
        os.killpg(process.pid, signal.SIGKILL)
        await _gone(process)
    if process.stdin:
        process.stdin.close()


async def wait_until_ready(process: subprocess.Popen[bytes], socket: Path, log: Path) -> None:
    """Return when the server answers with its data loaded; `Unavailable` if it ends first."""
    deadline = anyio.current_time() + ANSWER_SECONDS
    while anyio.current_time() < deadline:
        if process.poll() is not None:
            raise Unavailable(f"the embedded Redis server ended at once: {_last_words(log)}")
        answer = await identify_server(socket)
        if answer and not answer.loading:
            return
        if answer:  # as long as the data takes
            deadline = anyio.current_time() + ANSWER_SECONDS
        await anyio.sleep(0.002)
    raise Unavailable(
        f"the embedded Redis server does not answer on {str(socket)!r}: {_last_words(log)}"
    )


async def identify_server(socket: Path) -> ServerIdentity | None:
    """The process that answers on `socket`; None if none does within a second."""
    reply = b""
    try:
        with anyio.move_on_after(1):
            async with await anyio.connect_unix(str(socket)) as stream:
                await stream.send(b"INFO\r\n")
                while b"loading:" not in reply:
                    reply += await stream.receive()
    except (OSError, anyio.EndOfStream, anyio.BrokenResourceError):
        return None
    pid, loading = re.search(rb"process_id:(\d+)", reply), re.search(rb"loading:(\d)", reply)
    return ServerIdentity(int(pid[1]), loading[1] != b"0") if pid and loading else None


async def _gone(process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:  # noqa: ASYNC110 - another process sets no event of ours
        await anyio.sleep(0.002)


def _last_words(log: Path) -> str:
    try:
        lines = log.read_text(errors="replace").splitlines()
    except OSError:
        return f"see {str(log)!r}"
    return " | ".join(line.strip() for line in lines[-5:]) + f" ({str(log)!r})"
