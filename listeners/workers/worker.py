"""A worker: a process that folds, a process that runs effects, and who minds them.

They are two processes because a fold that dies must not take model calls under
way down with it. `run_lane` is what one of them does; `lane_processes` forks both.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import os
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Literal

import anyio
from anyio.abc import TaskStatus

from parley.bus import Bus
from parley.bus.connection.event_log import EventLog
from parley.bus.connection.task_groups import open_task_group
from parley.bus.contract.errors import BusError, Unavailable
from parley.listeners.cache.fold_build import fold_build
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.effects.summariser import EffectTally
from parley.listeners.models.embedding import Embedder
from parley.listeners.models.model_port import Model
from parley.listeners.spending.prices import Prices
from parley.listeners.workers.backoff import reach
from parley.listeners.workers.effect_runner import EffectRunner
from parley.listeners.workers.projector import Projector, ProjectorPace, ProjectorTally
from parley.listeners.workers.vote_counter import VoteCounter
from parley.listeners.workers.watchdog import watch_loop
from parley.memory.state.memory import Packs

Lane = Literal["fold", "effects"]
LANES: Final[tuple[Lane, ...]] = ("fold", "effects")

BEAT_SECONDS: Final = 2.0
_JANITOR_SECONDS: Final = 4.0  # what a step of Redis' clock put off is found within a lease and 5 s

log = EventLog("parley.worker")


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What `server` passes down; the defaults are those of docs/protocol.md."""

    url: str
    require_durable: bool = False
    fold: ProjectorPace = field(default_factory=ProjectorPace)
    effects: EffectPace = field(default_factory=EffectPace)
    prices: Prices = field(default_factory=dict)
    drain_seconds: float = 10.0
    wedged_seconds: float = 30.0


def owner_name(lane: Lane) -> str:
    """The name of this process among workers: unique as long as it lives."""
    return f"{socket.gethostname()}-{os.getpid()}-{lane}"


async def run_lane(
    lane: Lane,
    settings: WorkerSettings,
    packs: Packs,
    model: Model | None = None,
    stop: anyio.Event | None = None,
    embedder: Embedder | None = None,
) -> None:
    """Serve one lane until SIGTERM, SIGINT or `stop`; then finish what is in hand.

    What is not finished within `drain_seconds` is handed back. A Redis that is away is waited
    for, to begin with too: whoever starts a worker asks first whether it can be reached at all.
    """
    stop = stop or anyio.Event()
    calm_collector()
    async with watch_loop(settings.wedged_seconds), stopped_by_signals(stop):
        bus = await reach(partial(_connect, settings), stop)
        if bus is not None:
            async with bus:
                await _serve(lane, bus, settings, packs, model, stop, embedder)


async def _connect(settings: WorkerSettings) -> Bus:
    return await Bus.connect(settings.url, require_durable=settings.require_durable)


async def _serve(
    lane: Lane, bus: Bus, settings: WorkerSettings, packs: Packs, model: Model | None,
    stop: anyio.Event, embedder: Embedder | None,
) -> None:  # fmt: skip
    owner = owner_name(lane)
    runner: Projector | EffectRunner
    if lane == "fold":
        runner = Projector(bus, packs, owner, settings.fold)
        runs = [runner.run, VoteCounter(bus, packs, owner, runner.tally).run]
    else:
        runner = EffectRunner(bus, packs, model, owner, settings.effects, settings.prices, embedder)
        runs = [runner.run]
    log.info("worker_started", owner=owner, lane=lane)
    try:
        async with open_task_group() as beside:
            beside.start_soon(_beat, bus, owner, lane, lambda: runner.tally)
            if lane == "fold":
                beside.start_soon(_keep_house, bus)
            await _run_until_drained(runs, stop, settings.drain_seconds)
            beside.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True), contextlib.suppress(Unavailable):
            await bus.farewell(owner)  # where Redis is away, the list forgets it by itself
    log.info("worker_stopped", owner=owner, **dataclasses.asdict(runner.tally))


def calm_collector() -> None:
    """Let the cyclic collector look less often: it finds nothing, and costs 8 % of a drain.

    Records and facts come by the thousand and go by their reference counts.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 50, 50)


Run = Callable[[anyio.Event], Coroutine[Any, Any, None]]


async def _run_until_drained(runs: Sequence[Run], stop: anyio.Event, seconds: float) -> None:
    """Do `runs` until they have drained after `stop`, at most `seconds` later.

    What one of them fails with ends the others, and is raised.
    """
    async with open_task_group() as group:
        group.start_soon(_cancel_after, stop, seconds, group.cancel_scope)
        async with open_task_group() as lanes:
            for run in runs:
                lanes.start_soon(run, stop)
        group.cancel_scope.cancel()


async def _cancel_after(stop: anyio.Event, seconds: float, scope: anyio.CancelScope) -> None:
    await stop.wait()
    await anyio.sleep(seconds)
    scope.cancel()


@asynccontextmanager
async def stopped_by_signals(stop: anyio.Event) -> AsyncIterator[None]:
    """While inside, SIGTERM and SIGINT set `stop`."""
    async with open_task_group() as group:
        await group.start(_set_on_signal, stop)
        yield
        group.cancel_scope.cancel()


async def _set_on_signal(stop: anyio.Event, *, task_status: TaskStatus[None]) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        task_status.started()
        async for _ in signals:
            stop.set()


async def _beat(
    bus: Bus, owner: str, lane: Lane, tally: Callable[[], ProjectorTally | EffectTally]
) -> None:
    """Tell the operator, every few seconds, that this worker lives and what it has done."""
    about = {
        "lanes": [lane], "since_ms": time.time_ns() // 1_000_000,
        "fold": fold_build(), "scripts": bus.script_set,
    }  # fmt: skip
    while True:
        with contextlib.suppress(BusError):  # the runner tells of it
            await bus.beat(owner, {**about, **dataclasses.asdict(tally())})
        await anyio.sleep(BEAT_SECONDS)


async def _keep_house(bus: Bus) -> None:
    """Look for sessions whose wake-up was lost; there should be none."""
    while True:
        await anyio.sleep(_JANITOR_SECONDS)
        try:
            await bus.janitor()
        except Unavailable:
            pass  # the runner tells of it
        except BusError as error:  # no more than the house is at stake: the lanes go on
            log.warning("janitor_failed", reason=str(error))
