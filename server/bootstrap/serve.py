"""`parley serve`: the doors for as long as they are wanted, and the worker that goes with them.

What a person must know at the start is told on stderr, past the log: among it a link
that lets whoever has it in as the operator, or the file that has it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Final

import anyio.to_thread
from prometheus_client.metrics_core import Metric

from parley.bus.connection.task_groups import wait_unless_set
from parley.bus.diagnosis.node_faults import describe_lack, lacks_fixes
from parley.listeners.workers.worker import calm_collector
from parley.server.basics.errors import Failure, Misuse
from parley.server.basics.interrupts import handle_signals
from parley.server.basics.output import print_notice
from parley.server.bootstrap import server_addresses
from parley.server.bootstrap.http_server import RunningServer, start_server
from parley.server.http.state.dependencies import Dependencies
from parley.server.http.state.server_health import HealthCheck
from parley.server.http.tokens.bearer_tokens import EVERY_SESSION, build_claims
from parley.server.http.tokens.tickets import LINK_SECONDS
from parley.server.http.transport.http_connection import most_connections, raise_file_limit
from parley.server.http.warm_up import warm_up
from parley.server.runtime.connection import run
from parley.server.runtime.worker_process import WorkerProcess, has_live_worker, run_worker_process
from parley.server.settings import Settings
from parley.server.telemetry.otlp_export import export_registry, open_telemetry

# That a thread which computes keeps the interpreter for, where the loop wants it: a request
# takes it up some three times, after each of its system calls. Python's own figure is 5 ms.
SWITCH_SECONDS: Final = 0.0005
LOOK_SECONDS: Final = 1.0  # between two looks at whether the worker is still there
_SERVICE: Final = "parley-server"
_OPERATOR: Final = "operator"  # the name in the link that a start prints
_NOT_FOR_WORKERS: Final = ("serve", "token")  # settings with secrets that a worker has no use for


def serve(settings: Settings, *, worker: bool = True, ready: Path | None = None) -> int:
    """Serve until told to stop; the exit code.

    `ready` is a file that has the address and the process id once the server listens.
    """
    return int(run(_serve(settings, worker, ready)))


async def _serve(settings: Settings, worker: bool, ready: Path | None) -> int:
    raise_file_limit(settings.serve)
    sys.setswitchinterval(SWITCH_SECONDS)
    if not settings.redis:  # a second or two, in which nobody would hear of it
        print_notice("starting Redis and a worker …" if worker else "starting Redis …")
    async with (
        handle_signals(lambda: print_notice("closing; once more ends it at once")) as wish,
        open_telemetry(settings.telemetry, _SERVICE),
        start_server(settings) as served,
        AsyncExitStack() as stack,
        export_registry(settings.telemetry, _SERVICE, partial(_collect, served.deps)),
    ):
        url = served.deps.origins.url
        stack.enter_context(server_addresses.publish_address(settings, url, served.signing))
        helping = await start_worker_beside(served.deps) if worker else None
        own = None if helping is None else await stack.enter_async_context(helping)
        await _announce(served, own is not None, stack)
        if ready is not None:
            _write_ready(ready, served.url)
            stack.callback(ready.unlink, missing_ok=True)
        await anyio.to_thread.run_sync(warm_up, served.app, served.deps)
        calm_collector()
        await _mind(served, own, wish.stop)
    return 0 if wish.by == signal.SIGTERM else wish.exit_code


async def _collect(deps: Dependencies) -> Iterable[Metric]:
    """What Prometheus would read now."""
    health = HealthCheck(deps.backend.bus)
    deps.metrics.observe(len(deps.open_connections), await health.check())
    return deps.metrics.registry.collect()


async def start_worker_beside(
    deps: Dependencies,
) -> AbstractAsyncContextManager[WorkerProcess] | None:
    """A worker, for a server that is embedded here and has none."""
    if deps.settings.redis or await has_live_worker(deps.backend.bus):
        return None
    unset = {name: Settings.model_fields[name].default for name in _NOT_FOR_WORKERS}
    return run_worker_process(deps.settings.model_copy(update=unset), deps.connection.url)


async def _announce(served: RunningServer, has_worker: bool, stack: AsyncExitStack) -> None:
    deps, running = served.deps, served.deps.connection
    about = await running.bus.server()
    kind = "given" if running.kind == "given" else f"embedded ({running.kind})"
    print_notice(f"listening on {served.url}")
    print_notice(f"redis {about.version}, {kind}; durability: {about.durability}")
    if not deps.settings.serve.loopback and lacks_fixes(about.version):
        print_notice(describe_lack(about.version))
    print_notice("a worker was started" if has_worker else "no worker was started")
    serve = deps.settings.serve
    if (most := most_connections(serve)) < serve.streams // 2:
        print_notice(
            f"{most} connections at most: the system allows no more open files (ulimit -n)"
        )
    if served.signing.source != "set":
        print_notice("no secret is set: this machine only")
    about_link = f"operator link, good once, for {LINK_SECONDS / 60:.0f} minutes"
    if sys.stderr.isatty():  # else somebody keeps what is said
        print_notice(f"{about_link}: {_link(deps)}")
    elif served.signing.source != "set":
        file = _write_link(deps.settings.data.expanduser(), _link(deps))
        stack.callback(file.unlink, missing_ok=True)
        print_notice(f"{about_link}, is in {file}")
    print_notice("'parley token NAME --role operator --link' prints a link")


def _link(deps: Dependencies) -> str:
    who = build_claims(_OPERATOR, "operator", EVERY_SESSION, deps.clock())
    return f"{deps.origins.url}/#ticket={deps.tickets.issue(who, LINK_SECONDS)}"


def _write_link(data: Path, link: str) -> Path:
    """A file that its owner alone can read, whole or not at all.

    Beside the data, or where nothing can be written there, among the system's temporary
    files: a key that passes with the server signs no other link.
    """
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, own = tempfile.mkstemp(prefix="operator.", suffix=".new", dir=data)
    except OSError:
        handle, own = tempfile.mkstemp(prefix="parley-operator.", suffix=".new")
    with open(handle, "w", encoding="ascii") as new:
        new.write(link + "\n")
    return Path(own).replace(Path(own).with_suffix(".link"))


def _write_ready(file: Path, url: str) -> None:
    """Whole or not at all: whoever waits for the file may read it at once."""
    own = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        own.write_text(json.dumps({"url": url, "pid": os.getpid()}) + "\n", encoding="ascii")
        own.replace(file)
    except OSError as error:
        raise Misuse(f"--ready: cannot write {str(file)!r}: {error.strerror}") from None


async def _mind(served: RunningServer, helping: WorkerProcess | None, stop: anyio.Event) -> None:
    """Return once told to stop; a worker that dies is started again.

    Raises `Failure` where the server ended by itself, or the worker keeps dying.
    """
    while True:
        with anyio.move_on_after(LOOK_SECONDS):
            await wait_unless_set(stop, served.serving.wait())
        if stop.is_set():
            return
        if served.serving.is_over:
            raise served.serving.error or Failure("the server ended by itself")
        if helping is not None:
            status = helping.ended
            if await helping.revive():
                print_notice(f"the worker ended with {status}, and was started again")
