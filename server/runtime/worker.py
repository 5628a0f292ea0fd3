"""The worker process, from settings to exit code."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, Literal

import anyio

from parley.bus.connection.task_groups import run_beside
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.workers.lane_processes import GRACE_SECONDS, supervise
from parley.listeners.workers.projector import ProjectorPace
from parley.listeners.workers.supervisor import supervise_child
from parley.listeners.workers.worker import (
    LANES,
    Lane,
    WorkerSettings,
    run_lane,
    stopped_by_signals,
)
from parley.server.runtime.connection import open_connection, run
from parley.server.runtime.model_endpoint import open_embedder, open_model, read_prices
from parley.server.runtime.packs import Packs, compile_packs, read_packs
from parley.server.runtime.worker_process import child_environment, worker_command
from parley.server.settings import Settings
from parley.server.telemetry.otlp_export import open_telemetry

LOOK_SECONDS: Final = 0.5  # between two looks at whether the parent is still there


def run_worker(
    settings: Settings, lanes: Literal["all", "fold", "effects"], *, minder: int | None = None
) -> int:
    """Works until told to stop; the exit code.

    `all` forks two processes, one a lane; either lane alone works in this one.
    `minder` is the process that started this one: its end, kill -9 included, is
    a request to stop, as nobody is left to make one.
    """
    packs = read_packs(settings.packs)  # a pack that is refused is refused here, once
    if lanes == "all" and not settings.redis:
        return run(_work_beside_server(settings, minder))
    compile_packs(packs)  # before the lane's watchdog begins to count
    if settings.redis:
        run(_reach_server(settings))  # one that cannot serve is refused here, once
    if lanes != "all":
        return _run_lane(settings, packs, lanes, minder)
    runs = {lane: partial(_run_lane, settings, packs, lane, os.getpid()) for lane in LANES}
    return supervise(runs, drain_seconds=settings.drain_seconds, minder=minder)


def _run_lane(settings: Settings, packs: Packs, lane: Lane, minder: int | None) -> int:
    return run(_serve(settings, packs, lane, minder))


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


async def _work_beside_server(settings: Settings, minder: int | None) -> int:
    """An embedded server, and under it the worker of both lanes, in processes of its own."""
    stop = anyio.Event()
    async with (
        stop_with_parent(minder), open_connection(settings) as running, stopped_by_signals(stop),
    ):  # fmt: skip
        drained = await supervise_child(
            "all", worker_command(), stop, settings.drain_seconds + GRACE_SECONDS,
            environment=child_environment(settings.model_copy(update={"redis": running.url})),
        )  # fmt: skip
    return 0 if drained else 1


async def _reach_server(settings: Settings) -> None:
    async with open_connection(settings):
        pass


async def _serve(settings: Settings, packs: Packs, lane: Lane, minder: int | None) -> int:
    async with (
        open_telemetry(settings.telemetry, f"parley-{lane}"),
        stop_with_parent(minder),
        _server_address(settings) as url,
    ):
        await run_lane(lane, _passed(settings, url), packs.known, open_model(settings),
                       embedder=open_embedder(settings))  # fmt: skip
    return 0


@asynccontextmanager
async def _server_address(settings: Settings) -> AsyncIterator[str]:
    """The address of the settings, whether or not Redis is there now; else an embedded server's."""
    if settings.redis:
        yield settings.redis
        return
    async with open_connection(settings) as running:
        yield running.url


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
