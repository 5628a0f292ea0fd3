"""A Redis server of our own, for laptops, demos and tests.

With a data directory it is the one server of that directory (`shared_server`); without, it
is this process' own, keeps nothing, and is gone with its context.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import anyio

from parley.bus.contract.errors import Unavailable
from parley.bus.embedded.server_binary import Binary, find_binary, no_durable_server_message
from parley.bus.embedded.server_process import (
    ANSWER_SECONDS,
    Server,
    command_line,
    launch,
    stop_on_exit,
    wait_until_ready,
)
from parley.bus.embedded.shared_server import join_or_start

__all__ = ["Mode", "Server", "serve"]

Mode = Literal["auto", "path", "bundled", "fake"]


@asynccontextmanager
async def serve(
    mode: Mode = "auto",
    data_dir: Path | str | None = None,
    *,
    lasting: bool = False,
    answer_seconds: float = ANSWER_SECONDS,
) -> AsyncIterator[Server]:
    """A server for as long as the context lasts.

    With `data_dir` it keeps its data there (AOF, everysec), or is the server
    that another process runs on that directory. `lasting`: where that server
    ends, killed or with its process, there is another one at its address as
    soon as it is missed. Without `data_dir` it keeps nothing and is this
    process' own. Raises `Unavailable`, saying what to do, when no server can be
    started, or the one that runs is silent for `answer_seconds`.
    """
    binary = None if mode == "fake" else find_binary(mode)
    if data_dir is None:
        context = _private(binary) if binary else _fake()
    elif binary:
        context = join_or_start(binary, Path(data_dir), answer_seconds, lasting=lasting)
    else:
        why = "the fake server keeps nothing" if mode == "fake" else no_durable_server_message()
        raise Unavailable(f"cannot keep data in {str(data_dir)!r}: {why}")
    async with context as server:
        yield server


@asynccontextmanager
async def _private(binary: Binary) -> AsyncIterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="parley-"))
    socket, log = folder / "redis.sock", folder / "server.log"
    try:
        process = launch(command_line(binary, folder, socket, log), stdout=subprocess.DEVNULL)
        async with stop_on_exit(process):
            await wait_until_ready(process, socket, log)
            yield Server(f"unix://{socket}", binary.kind, process.pid, durable=False)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@asynccontextmanager
async def _fake() -> AsyncIterator[Server]:
    if not all(importlib.util.find_spec(name) for name in ("fakeredis", "lupa")):
        raise Unavailable(
            f"{no_durable_server_message()}; nor is there the fake ('fakeredis[lua]')"
        )
    program = Path(__file__).with_name("fake_server.py")
    process = launch([sys.executable, "-P", str(program)], stdout=subprocess.PIPE)
    async with stop_on_exit(process):
        assert process.stdout  # noqa: S101 - it was asked for
        with process.stdout as output:
            line = await anyio.to_thread.run_sync(output.readline)
        if not line.strip().isdigit():
            raise Unavailable("the fake Redis server ended at once; its complaint is above")
        yield Server(f"redis://127.0.0.1:{int(line)}", "fake", process.pid, durable=False)
