"""Scenarios played for callers, each in a process of its own that ends with the server."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from typing import Final

import structlog
from fastapi import FastAPI

from bus.errors import SessionClosed
from bus.tasks import end
from server.gateway.doors import Doors
from server.gateway.problems import Problem
from server.running import child_environment
from server.scenarios import described

RETRY_SECONDS: Final = 30.0  # until one that is played may be over
GRACE_SECONDS: Final = 5.0  # for a player to end by itself

log = structlog.get_logger("parley.runs")


async def begin(app: FastAPI, doors: Doors, session: str, scenario: str, *, offline: bool) -> None:
    """Have a scenario played in a session that is open.

    Raises `SessionNotFound`, `SessionClosed`, `Misuse` for one that has no bound, and
    `Problem` `busy` where as many are played as `serve.runs` allows.
    """
    if (await doors.held.bus.info(session)).status != "open":
        raise SessionClosed(session)
    await asyncio.to_thread(described, doors.settings, scenario)
    playing: set[asyncio.Task[None]] = getattr(app.state, "playing", set())
    app.state.playing = playing
    if len(playing) >= doors.settings.serve.runs:
        raise Problem("busy", retry_after=RETRY_SECONDS)
    task = asyncio.create_task(_played(doors, session, scenario, offline), name="parley-run")
    playing.add(task)
    task.add_done_callback(playing.discard)


async def _played(doors: Doors, session: str, scenario: str, offline: bool) -> None:
    words = ["run", scenario, "--session", session, "--yes", *(["--offline"] if offline else [])]
    own = doors.settings.model_copy(update={"redis": doors.running.url})
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "server", *words,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL, env=child_environment(own),
    )  # fmt: skip
    closing = asyncio.create_task(doors.closing.wait())
    ended = asyncio.create_task(process.wait())
    try:
        await asyncio.wait({closing, ended}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await _stop(process)
        await end(closing, ended)
    if process.returncode and not doors.closing.is_set():
        log.warning("run_failed", session=session, status=process.returncode)


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
