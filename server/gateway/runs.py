"""Scenarios played for callers, each in a process of its own that ends with the server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

import structlog
from fastapi import FastAPI

from bus.tasks import end
from memory.showing import visible
from server.gateway.doors import Doors
from server.gateway.problems import Problem
from server.running import child_environment
from server.scenarios.describing import described
from server.settings import SETTINGS, Settings
from server.settings.leaves import INHERITED

FULL: Final = "As many scenarios are played as the server takes at once; wait for one to end."
RETRY_SECONDS: Final = 30.0  # until one that is played may be over
TOLD: Final = 500  # characters of what a player that failed said last
GRACE_SECONDS: Final = 5.0  # for a player to end by itself

log = structlog.get_logger("parley.runs")


Places = dict[str, asyncio.Task[None] | None]  # by session; None: it is to begin


@asynccontextmanager
async def playing(
    app: FastAPI, doors: Doors, session: str, scenario: str, *, offline: bool
) -> AsyncIterator[None]:
    """Have a scenario played in a session once the body, which may open it, is done.

    Where it cannot be, the body is not begun: raises `Misuse` for one that has no bound, and
    `Problem`: `exists` where one is played there, `busy` where as many are played as
    `serve.runs` allows.
    """
    places: Places = getattr(app.state, "playing", {})
    app.state.playing = places
    if session in places:
        raise Problem("exists", detail="A scenario is played in this session already.")
    if len(places) >= doors.settings.serve.runs:
        raise Problem("busy", retry_after=RETRY_SECONDS, detail=FULL)
    places[session] = None
    try:
        await asyncio.to_thread(described, doors.settings, scenario)
        yield
    except BaseException:
        del places[session]
        raise
    task = asyncio.create_task(_played(doors, session, scenario, offline), name="parley-run")
    places[session] = task
    task.add_done_callback(partial(_over, places, session))


def _over(places: Places, session: str, task: asyncio.Task[None]) -> None:
    """Free its place. Whoever asked for it was answered long ago, so its failure is logged."""
    del places[session]
    if not task.cancelled() and (error := task.exception()) is not None:
        log.warning("run_failed", session=session, exc_info=error)


async def _played(doors: Doors, session: str, scenario: str, offline: bool) -> None:
    words = ["run", scenario, "--session", session, "--yes", "--minder", str(os.getpid())]
    words += ["--offline"] if offline else []
    own = doors.settings.model_copy(update={"redis": doors.running.url})
    with tempfile.TemporaryFile() as told:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "server", *words,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=told,
            env=_environment(own),
        )  # fmt: skip
        try:
            await _until(process, doors.closing)
        finally:
            await _stop(process)
        if process.returncode and not doors.closing.is_set():
            told.seek(0)
            last = told.read().decode(errors="replace").strip()[-TOLD:]
            log.warning(
                "run_failed", session=session, status=process.returncode, told=visible(last)
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
        await end(*waits)


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
