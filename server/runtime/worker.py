"""The worker process, from settings to exit code."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Literal

import anyio

from parley.bus.connection.task_groups import run_beside
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.workers.projector import ProjectorPace
from parley.listeners.workers.worker import LANES, Lane, WorkerSettings, run_lane, supervise
from parley.server.runtime.connection import open_connection, run
from parley.server.runtime.model_endpoint import open_embedder, open_model, read_prices
from parley.server.runtime.packs import compile_packs, read_packs
from parley.server.runtime.worker_process import child_environment, worker_command
from parley.server.settings import Settings

LOOK_SECONDS: Final = 0.5  # between two looks at whether the parent is still there


def run_worker(
    settings: Settings, lanes: Literal["all", "fold", "effects"], *, minder: int | None = None
) -> int:
    """Works until told to stop; the exit code.

    `all` minds two processes, one a lane; either lane alone works in this one.
    `minder` is the process that started this one: its end, kill -9 included, is
    a request to stop, as nobody is left to make one.
    """
    return int(run(_work(settings, lanes, minder)))


async def _work(
    settings: Settings, lanes: Literal["all", "fold", "effects"], minder: int | None
) -> int:
    async with stop_with_parent(minder):
        if lanes == "all":
            return await _mind(settings)
        await _serve(settings, lanes)
        return 0


@asynccontextmanager
async def stop_with_parent(parent: int | None) -> AsyncIterator[None]:
    """While the body runs: SIGTERM to this process once `parent` is no longer its parent."""
    if parent is None:
        yield
        return
    async with run_beside(_watch_parent, parent):
        yield


async def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:  # noqa: ASYNC110 - nothing wakes an orphan
        await anyio.sleep(LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


async def _mind(settings: Settings) -> int:
    """Two children under the very settings of this process, on one server."""
    read_packs(settings.packs)  # a pack that is refused is refused here, once
    async with open_connection(settings) as running:
        child = child_environment(settings.model_copy(update={"redis": running.url}))
        os.environ.clear()
        os.environ.update(child)
        commands = {lane: (*worker_command(), "--lanes", lane) for lane in LANES}
        return await supervise(commands, drain_seconds=settings.drain_seconds)


async def _serve(settings: Settings, lane: Lane) -> None:
    packs = read_packs(settings.packs)
    compile_packs(packs)  # before the lane's watchdog begins to count
    async with open_connection(settings) as running:
        await run_lane(lane, _passed(settings, running.url), packs.known, open_model(settings),
                       embedder=open_embedder(settings))  # fmt: skip


def _passed(settings: Settings, url: str) -> WorkerSettings:
    return WorkerSettings(
        url=url,
        require_durable=settings.require_durable,
        fold=ProjectorPace(
            batch=settings.batch,
            lease_ms=settings.lease_ms,
            snapshot_tail=settings.snapshot_tail,
            snapshot_seconds=settings.snapshot_seconds,
        ),
        effects=EffectPace(
            at_once=settings.effects_at_once,
            lease_ms=settings.effect_lease_ms,
            memo_hours=settings.memo_hours,
        ),
        prices=read_prices(settings),
        drain_seconds=settings.drain_seconds,
        wedged_seconds=settings.wedged_seconds,
    )
