"""Scenarios played for callers, each in a process of its own that ends with the server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

import structlog
from fastapi import FastAPI

from parley.bus.connection.tasks import cancel_and_wait
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
Runs = dict[str, asyncio.Task[None]]

log = structlog.get_logger("parley.runs")


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
    await asyncio.to_thread(describe_scenario, deps.settings, scenario)
    playing = _playing(app)
    if session in playing:
        raise Problem("exists", detail="A scenario is played in this session already.")
    if len(playing) >= deps.settings.serve.runs:
        raise Problem("busy", retry_after=RETRY_SECONDS, detail=FULL)
    opened = asyncio.Event()
    playing[session] = task = asyncio.create_task(
        _run_player(deps, session, scenario, offline, opened), name="parley-run"
    )
    task.add_done_callback(partial(_forget_run, playing, session))
    try:
        if opening is not None:
            await opening()
    except BaseException:
        await stop_run(app, session)
        raise
    opened.set()


async def stop_run(app: FastAPI, session: str) -> None:
    """Return once nothing is played there: what comes under that name is another talk."""
    if (task := _playing(app).get(session)) is not None:
        task.cancel()  # once: its player gets the time to leave
        await asyncio.wait({task})


def _playing(app: FastAPI) -> Runs:
    """What is played, by session, or is to be once that is open."""
    runs: Runs | None = getattr(app.state, "playing", None)
    if runs is None:
        runs = app.state.playing = {}
    return runs


def _forget_run(playing: Runs, session: str, task: asyncio.Task[None]) -> None:
    """Free its place. Whoever asked for it was answered long ago, so its failure is logged."""
    del playing[session]
    if not task.cancelled() and (error := task.exception()) is not None:
        log.warning("run_failed", session=session, exc_info=error)


async def _run_player(
    deps: Dependencies, session: str, scenario: str, offline: bool, opened: asyncio.Event
) -> None:
    await opened.wait()
    words = ["run", scenario, "--session", session, "--yes", "--minder", str(os.getpid())]
    words += ["--offline"] if offline else []
    own = deps.settings.model_copy(update={"redis": deps.connection.url})
    with tempfile.TemporaryFile() as stderr:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "parley", *words,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=stderr,
            env=_environment(own),
        )  # fmt: skip
        try:
            await _until(process, deps.closing)
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
    """That of a child, without the session settings that nobody set: a scenario has its own."""
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


async def _until(process: asyncio.subprocess.Process, closing: asyncio.Event) -> None:
    """Return once the process has ended, or the server is to."""
    waits = [asyncio.create_task(process.wait()), asyncio.create_task(closing.wait())]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await cancel_and_wait(*waits)


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), GRACE_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()
