"""A worker: a process that folds, a process that runs effects, and who minds them.

They are two processes because a fold that dies must not take model calls under
way down with it. `run_lane` is what one of them does; `supervise` is the
parent's work: start both, start again what dies, end both on a signal. One
that dies again and again ends the worker, so that whoever runs it hears of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import gc
import os
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import structlog

from parley.bus import Bus
from parley.bus.connection.tasks import cancel_and_wait
from parley.bus.contract.errors import Unavailable
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.effects.summariser import EffectTally
from parley.listeners.models.embedding import Embedder
from parley.listeners.models.model_port import Model
from parley.listeners.spending.prices import Prices
from parley.listeners.workers.effect_runner import EffectRunner
from parley.listeners.workers.projector import Projector, ProjectorPace, ProjectorTally
from parley.listeners.workers.supervisor import supervise_child
from parley.listeners.workers.vote_counter import VoteCounter
from parley.listeners.workers.watchdog import watch_loop
from parley.memory.state.memory import Packs

Lane = Literal["fold", "effects"]
LANES: Final[tuple[Lane, ...]] = ("fold", "effects")

BEAT_SECONDS: Final = 2.0
JANITOR_SECONDS: Final = 10.0

log = structlog.get_logger("parley.worker")


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
    """This process's name among workers: unique as long as it lives."""
    return f"{socket.gethostname()}-{os.getpid()}-{lane}"


async def run_lane(
    lane: Lane,
    settings: WorkerSettings,
    packs: Packs,
    model: Model | None = None,
    stop: asyncio.Event | None = None,
    embedder: Embedder | None = None,
) -> None:
    """Serve one lane until SIGTERM, SIGINT or `stop`; then finish what is in hand.

    What is not finished within `drain_seconds` is handed back.
    """
    stop = stop or asyncio.Event()
    owner = owner_name(lane)
    calm_collector()
    async with (
        watch_loop(settings.wedged_seconds),
        _stopped_by_signals(stop),
        await Bus.connect(settings.url, require_durable=settings.require_durable) as bus,
    ):
        runner: Projector | EffectRunner
        if lane == "fold":
            runner = Projector(bus, packs, owner, settings.fold)
            runs = [runner.run, VoteCounter(bus, packs, owner, runner.tally).run]
        else:
            runner = EffectRunner(
                bus, packs, model, owner, settings.effects, settings.prices, embedder
            )
            runs = [runner.run]
        log.info("worker_started", owner=owner, lane=lane)
        aside = [asyncio.create_task(_beat(bus, owner, lane, lambda: runner.tally))]
        if lane == "fold":
            aside.append(asyncio.create_task(_keep_house(bus)))
        try:
            await _until_drained(runs, stop, settings.drain_seconds)
        finally:
            await cancel_and_wait(*aside)
            with contextlib.suppress(Unavailable):  # the list forgets it by itself
                await bus.farewell(owner)
        log.info("worker_stopped", owner=owner, **dataclasses.asdict(runner.tally))


def calm_collector() -> None:
    """Let the cyclic collector look less often: it finds nothing, and costs 8 % of a drain.

    Records and facts come by the thousand and go by their reference counts.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 50, 50)


Run = Callable[[asyncio.Event], Coroutine[Any, Any, None]]


async def _until_drained(runs: Sequence[Run], stop: asyncio.Event, seconds: float) -> None:
    """Do `runs` until they have drained after `stop`, at most `seconds` later."""
    running = asyncio.create_task(_side_by_side(runs, stop))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait([running, stopping], return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            await asyncio.wait([running], timeout=seconds)
    finally:
        await cancel_and_wait(running, stopping)
    if not running.cancelled():
        running.result()


async def _side_by_side(runs: Sequence[Run], stop: asyncio.Event) -> None:
    """Until all have ended; what one fails with ends the others, and is raised."""
    tasks = [asyncio.create_task(run(stop)) for run in runs]
    try:
        for task in asyncio.as_completed(tasks):
            await task
    finally:
        await cancel_and_wait(*tasks)


@asynccontextmanager
async def _stopped_by_signals(stop: asyncio.Event) -> AsyncIterator[None]:
    loop = asyncio.get_running_loop()
    kinds = (signal.SIGTERM, signal.SIGINT)
    for kind in kinds:
        loop.add_signal_handler(kind, stop.set)
    try:
        yield
    finally:
        for kind in kinds:
            loop.remove_signal_handler(kind)


async def _beat(
    bus: Bus, owner: str, lane: Lane, tally: Callable[[], ProjectorTally | EffectTally]
) -> None:
    """Tell the operator, every few seconds, that this worker lives and what it has done."""
    about = {"lanes": [lane], "since_ms": time.time_ns() // 1_000_000}
    while True:
        with contextlib.suppress(Unavailable):  # the runner tells of it
            await bus.beat(owner, {**about, **dataclasses.asdict(tally())})
        await asyncio.sleep(BEAT_SECONDS)


async def _keep_house(bus: Bus) -> None:
    """Look for sessions whose wake-up was lost; there should be none."""
    while True:
        await asyncio.sleep(JANITOR_SECONDS)
        with contextlib.suppress(Unavailable):  # the runner tells of it
            await bus.janitor()


# -- the parent ---------------------------------------------------------------


async def supervise(
    commands: Mapping[Lane, Sequence[str]],
    *,
    drain_seconds: float = 10.0,
    stop: asyncio.Event | None = None,
) -> int:
    """Run each lane's command as a child until a signal or `stop`; the exit status.

    A child that dies is started again. 0 after a drain, 1 when one kept dying; the
    others are ended first, either way.
    """
    stop = stop or asyncio.Event()
    async with _stopped_by_signals(stop), asyncio.TaskGroup() as tasks:
        minded = [
            tasks.create_task(supervise_child(lane, command, stop, drain_seconds))
            for lane, command in commands.items()
        ]
    return 0 if all(task.result() for task in minded) else 1
