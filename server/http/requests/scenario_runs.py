"""Scenarios played for callers, each in a process of its own that ends with the server."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

import anyio
from anyio import to_thread
from anyio.abc import Process
from fastapi import FastAPI

from parley.bus.connection.event_log import EventLog
from parley.bus.connection.task_groups import wait_unless_set
from parley.bus.connection.tasks import Child
from parley.bus.contract.errors import SessionClosed
from parley.memory.text.fences import escape_invisible
from parley.server.catalogue.scenario_catalogue import describe_scenario
from parley.server.http.problems.problem_details import Problem
from parley.server.http.state.dependencies import Dependencies
from parley.server.runtime.worker_process import child_environment
from parley.server.settings import SETTINGS, Settings
from parley.server.settings.setting import INHERITED

FULL: Final = "As many scenarios are played as the server takes at once; wait for one to end."
RETRY_SECONDS: Final = 30.0  # until one that is played may be over
TOLD: Final = 500  # characters of what a player that failed said last
GRACE_SECONDS: Final = 5.0  # for a player to end by itself

Opening = Callable[[], Awaitable[None]]
Runs = dict[str, Child]

log = EventLog("parley.runs")


async def start_run(
    app: FastAPI, deps: Dependencies, session: str, scenario: str, *, offline: bool,
    opening: Opening | None = None,
) -> None:  # fmt: skip
    """Have a scenario played in a session that is open, or that `opening` opens.

    Where it cannot be played nothing is opened. Raises what `opening` does,
    `SessionNotFound`, `SessionClosed`, `Misuse` for one that has no bound, and
    `Problem`: `exists` where one is played there, `busy` where as many are played as
    `serve.runs` allows.
    """
    if opening is None and (await deps.backend.bus.info(session)).status != "open":
        raise SessionClosed(session)
    await to_thread.run_sync(describe_scenario, deps.settings, scenario)
    playing = _playing(app)
    if session in playing:
        raise Problem("exists", detail="A scenario is played in this session already.")
    if len(playing) >= deps.settings.serve.runs:
        raise Problem("busy", retry_after=RETRY_SECONDS, detail=FULL)
    opened = anyio.Event()

    async def play() -> None:
        try:
            await opened.wait()
            await _run_player(deps, session, scenario, offline)
        finally:
            del playing[session]

    playing[session] = deps.runs.start("parley-run", play, on_death=partial(_log_failure, session))
    try:
        if opening is not None:
            await opening()
    except BaseException:
        await stop_run(app, session)
        raise
    opened.set()


async def stop_run(app: FastAPI, session: str) -> None:
    """Return once nothing is played there: what comes under that name is another talk."""
    if (run := _playing(app).get(session)) is not None:
        await run.aclose()


def _playing(app: FastAPI) -> Runs:
    """What is played, by session, or is to be once that is open."""
    runs: Runs | None = getattr(app.state, "playing", None)
    if runs is None:
        runs = app.state.playing = {}
    return runs


def _log_failure(session: str, _: Child, error: Exception) -> None:
    """Whoever asked for the run was answered long ago."""
    log.warning("run_failed", session=session, exc_info=error)


async def _run_player(deps: Dependencies, session: str, scenario: str, offline: bool) -> None:
    words = ["run", scenario, "--session", session, "--yes", "--minder", str(os.getpid())]
    words += ["--offline"] if offline else []
    own = deps.settings.model_copy(update={"redis": deps.connection.url})
    with tempfile.TemporaryFile() as stderr:
        process = await anyio.open_process(
            [sys.executable, "-m", "parley", *words], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=stderr, env=_environment(own),
        )  # fmt: skip
        try:
            await wait_unless_set(deps.closing, process.wait())
        finally:
            await _stop(process)
        if process.returncode and not deps.closing.is_set():
            stderr.seek(0)
            last = stderr.read().decode(errors="replace").strip()[-TOLD:]
            log.warning(
                "run_failed",
                session=session,
                status=process.returncode,
                told=escape_invisible(last),
            )


def _environment(settings: Settings) -> dict[str, str]:
    """A child's environment, without session settings that nobody set: a scenario has its own."""
    given = settings.session.model_dump(exclude_unset=True)
    left = {
        setting.variable
        for setting in SETTINGS.values()
        if setting.path[0] == INHERITED and not _has(given, setting.path[1:])
    }
    whole = child_environment(settings)
    return {name: value for name, value in whole.items() if name not in left}


def _has(tree: Any, path: tuple[str, ...]) -> bool:
    for step in path:
        if not isinstance(tree, dict) or step not in tree:
            return False
        tree = tree[step]
    return True


async def _stop(process: Process) -> None:
    """Give the player the time to leave, also where its run is cancelled."""
    if process.returncode is not None:
        return
    with anyio.CancelScope(shield=True), contextlib.suppress(ProcessLookupError):
        process.terminate()
        with anyio.move_on_after(GRACE_SECONDS):
            await process.wait()
        if process.returncode is None:
            process.kill()
            await process.wait()
