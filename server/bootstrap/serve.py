"""`parley serve`: the doors for as long as they are wanted, and the worker that goes with them.

What a person must know at the start is told on stderr, past the log: among it a link
that lets whoever has it in as the operator.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import Final

from parley.bus.connection.tasks import end
from parley.listeners.workers.worker import calm_collector
from parley.server.basics.errors import Failure, Misuse
from parley.server.basics.interrupts import interruptible
from parley.server.basics.output import tell
from parley.server.bootstrap import server_addresses
from parley.server.bootstrap.http_server import Served, standing
from parley.server.http.state.dependencies import Doors
from parley.server.http.tokens.bearer_tokens import EVERY_SESSION, claims
from parley.server.http.tokens.tickets import LINK_SECONDS
from parley.server.http.transport.http_connection import ask_for_files, most_connections
from parley.server.http.warm_up import warm
from parley.server.runtime.connection import run
from parley.server.runtime.worker_process import Helping, worker_process, working
from parley.server.settings import Settings

LOOK_SECONDS: Final = 1.0  # between two looks at whether the worker is still there
OPERATOR: Final = "operator"  # the name in the link that a start prints
NOT_FOR_WORKERS: Final = ("serve", "token")  # settings with secrets that a worker has no use for


def serve(settings: Settings, *, worker: bool = True, ready: Path | None = None) -> int:
    """Serve until told to stop; the exit code.

    `ready` is a file that has the address and the process id once the server listens.
    """
    return int(run(_serve(settings, worker, ready)))


async def _serve(settings: Settings, worker: bool, ready: Path | None) -> int:
    ask_for_files(settings.serve.streams)
    with interruptible(lambda: tell("closing; once more ends it at once")) as wish:
        async with standing(settings) as served, AsyncExitStack() as stack:
            url = served.doors.origins.url
            stack.enter_context(server_addresses.told(settings, url, served.signing))
            helping = await worker_beside(served.doors) if worker else None
            own = None if helping is None else await stack.enter_async_context(helping)
            await _announce(served, own is not None)
            if ready is not None:
                _write_ready(ready, served.url)
                stack.callback(ready.unlink, missing_ok=True)
            await asyncio.to_thread(warm, served.app, served.doors)
            calm_collector()
            await _mind(served, own, wish.stop)
    return 0 if wish.by == signal.SIGTERM else wish.exit_code


async def worker_beside(doors: Doors) -> AbstractAsyncContextManager[Helping] | None:
    """A worker, for a server that is embedded here and has none."""
    if doors.settings.redis or await working(doors.held.bus):
        return None
    unset = {name: Settings.model_fields[name].default for name in NOT_FOR_WORKERS}
    return worker_process(doors.settings.model_copy(update=unset), doors.running.url)


async def _announce(served: Served, has_worker: bool) -> None:
    doors, running = served.doors, served.doors.running
    about = await running.bus.server()
    kind = "given" if running.kind == "given" else f"embedded ({running.kind})"
    tell(f"listening on {served.url}")
    tell(f"redis {about.version}, {kind}; durability: {about.durability}")
    tell("a worker was started" if has_worker else "no worker was started")
    streams = doors.settings.serve.streams
    if (most := most_connections(streams)) < streams // 2:
        tell(f"{most} connections at most: the system allows no more open files (ulimit -n)")
    if served.signing.source != "set":
        tell("no secret is set: this machine only")
    if served.signing.source != "set" or sys.stderr.isatty():  # else somebody keeps what is said
        tell(f"operator link, good once, for {LINK_SECONDS / 60:.0f} minutes: {_link(doors)}")
    tell("'parley token NAME --role operator --link' prints a link")


def _link(doors: Doors) -> str:
    who = claims(OPERATOR, "operator", EVERY_SESSION, doors.clock())
    return f"{doors.origins.url}/#ticket={doors.tickets.made(who, LINK_SECONDS)}"


def _write_ready(file: Path, url: str) -> None:
    """Whole or not at all: whoever waits for the file may read it at once."""
    own = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        own.write_text(json.dumps({"url": url, "pid": os.getpid()}) + "\n", encoding="ascii")
        own.replace(file)
    except OSError as error:
        raise Misuse(f"--ready: cannot write {str(file)!r}: {error.strerror}") from None


async def _mind(served: Served, helping: Helping | None, stop: asyncio.Event) -> None:
    """Return once told to stop; a worker that dies is started again.

    Raises `Failure` where the server ended by itself, or the worker keeps dying.
    """
    stopping = asyncio.create_task(stop.wait())
    try:
        while not stopping.done():
            await asyncio.wait(
                {stopping, served.ended}, timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED"
            )
            if served.ended.done() and not stopping.done():
                served.ended.result()
                raise Failure("the server ended by itself")
            if helping is not None and not stopping.done():
                status = helping.ended
                if await helping.revive():
                    tell(f"the worker ended with {status}, and was started again")
    finally:
        await end(stopping)
