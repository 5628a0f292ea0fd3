"""A scenario on the bus: opened or gone on with, hosted here or in children, reported."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final

import anyio

from parley.bus import Bus
from parley.bus.connection.task_groups import open_task_group
from parley.bus.contract.drafts import new_id
from parley.bus.contract.errors import Conflict, SessionExists
from parley.bus.entries import SessionOpened
from parley.listeners.agents.host import HostedPart, host_agents
from parley.listeners.models.model_port import StreamingModel
from parley.listeners.rooms.log_port import RedisLog
from parley.listeners.rooms.room import enter_room
from parley.listeners.spending.prices import Prices
from parley.listeners.workers.supervisor import supervise_child
from parley.server.basics.errors import Failure
from parley.server.basics.interrupts import Interrupted, handle_signals
from parley.server.basics.output import count_of, print_notice
from parley.server.plays.arrivals import pause_until_all_here
from parley.server.plays.live_view import show_live
from parley.server.queries.log_queries import read_closing
from parley.server.queries.memory_queries import read_digest
from parley.server.records.session_file import export_session, write_file
from parley.server.records.transcript_replay import wait_until_settled
from parley.server.runtime.backend import Backend
from parley.server.runtime.connection import Connection, open_connection
from parley.server.runtime.packs import Packs
from parley.server.runtime.worker_process import (
    STALE_MS,
    WorkerProcess,
    child_environment,
    has_live_worker,
    run_worker_process,
)
from parley.server.scenarios.cast import Cast
from parley.server.scenarios.session_setup import opening_drafts
from parley.server.settings import Settings
from parley.server.telemetry.otlp_export import open_telemetry

_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Play:
    """What is to be played, and how. `session` None: a name made of the scenario's."""

    cast: Cast
    entry: SessionOpened
    packs: Packs
    session: str | None = None
    processes: int = 0  # 0: this one hosts everybody
    out: Path | None = None  # where the session is saved
    offline: bool = False
    fast: bool = False


@dataclass(frozen=True, slots=True)
class PlayResult:
    """How it went: `ended` None where it was interrupted and can be gone on with."""

    session: str
    ended: dict[str, Any] | None
    minutes: dict[str, Any] | None
    exit_code: int = 0


async def play(settings: Settings, plan: Play, model: StreamingModel, prices: Prices) -> PlayResult:
    """Plays until the session is closed or this process is asked to stop."""
    async with (
        open_telemetry(settings.telemetry, "parley-agents"),
        open_connection(settings) as running,
    ):
        bus, backend = running.bus, Backend.of(running.bus, plan.packs)
        session, after = await _join_cast(bus, plan)
        async with (
            _some_worker(settings, running) as worker,
            show_live(bus, session, after, live=not plan.fast),
        ):
            async with (
                handle_signals(lambda: _tell_how_to_resume(plan.cast, session)) as asked,
                _gathered(backend, plan, session),
            ):
                if plan.processes:
                    await _in_children(settings, running, plan, session, asked)
                else:
                    await play_in_process(
                        backend,
                        session,
                        plan.cast.parts,
                        model,
                        prices,
                        asked,
                        patience_of(settings),
                    )
            if open_still := (await bus.info(session)).status == "open":
                asked.by = asked.by or signal.SIGTERM
            else:
                await _settled(settings, running.url, backend, session, worker)
        if plan.out is not None:
            write_file(plan.out, await export_session(bus, session))
        if open_still:
            return PlayResult(session, None, None, asked.exit_code)
        row = await read_digest(backend, session)
        return PlayResult(session, await read_closing(bus, session), row)


async def _join_cast(bus: Bus, plan: Play) -> tuple[str, int]:
    """The session to play in, set; and the seq of what was there before."""
    for name in _names(plan):
        try:
            await bus.open(name, plan.entry)
        except SessionExists:
            if not await _is_to_go_on(bus, plan, name):
                continue
            print_notice(f"session {name!r} goes on")
        after = (await bus.info(name)).head
        try:
            await bus.publish(name, opening_drafts(plan.cast))
        except Conflict:
            raise Failure(
                f"session {name!r} was begun with other people or opening words; "
                "give another name with --session"
            ) from None
        return name, after
    raise AssertionError("names do not end")


def _names(plan: Play) -> Iterator[str]:
    if plan.session is not None:
        yield plan.session
        return
    stem = _NOT_IN_A_NAME.sub("-", Path(plan.cast.source).stem).lstrip("._-")[:50] or "scenario"
    yield stem
    yield from (f"{stem}-{number}" for number in count(2))


async def _is_to_go_on(bus: Bus, plan: Play, name: str) -> bool:
    """Whether that session is this scenario's, and open.

    Raises `Failure` where it is not, and was asked for by name.
    """
    info = await bus.info(name)
    (first,) = await bus.read(name, count=1)
    title = getattr(first.entry, "title", None)
    goal = getattr(first.entry, "settings", {}).get("goal", "")
    same = (title, goal) == (plan.entry.title, plan.entry.settings.get("goal", ""))
    if info.status == "open" and same:
        return True
    if plan.session is not None:
        finding = "is closed" if same else "is another talk than this scenario"
        raise Failure(f"session {name!r} {finding}; give another name with --session")
    return False


@asynccontextmanager
async def _gathered(backend: Backend, plan: Play, session: str) -> AsyncIterator[None]:
    names = [part.name for part in plan.cast.parts]
    async with (
        enter_room(RedisLog(backend.reader, session)) as room,
        pause_until_all_here(room, names, new_id()),
    ):
        yield


async def play_in_process(
    backend: Backend, session: str, parts: Sequence[HostedPart],
    model: StreamingModel, prices: Prices,
    asked: Interrupted, patience: float | None = None,
) -> None:  # fmt: skip
    """Hosts `parts` in this process until the session is closed, or it is asked to stop.

    A call may take `patience` seconds; None: as long as the session gives.
    Closes `model` at the end: what it holds open belongs to this event loop.
    """
    try:
        async with enter_room(RedisLog(backend.reader, session)) as room:
            await host_agents(
                room,
                parts,
                model,
                nonce=new_id(),
                prices=prices,
                stop=asked.stop,
                patience_seconds=patience,
            )
    finally:
        if (aclose := getattr(model, "aclose", None)) is not None:
            with anyio.CancelScope(shield=True):
                await aclose()


def patience_of(settings: Settings) -> float | None:
    """How long an endpoint's answer is waited for; None where a script answers."""
    return settings.patience if settings.has_model else None


async def _in_children(
    settings: Settings, running: Connection, plan: Play, session: str, asked: Interrupted
) -> None:
    """Hosts everybody in children, each a share of the cast; one that dies is started again."""
    environment = child_environment(settings.model_copy(update={"redis": running.url}))
    names = [part.name for part in plan.cast.parts]
    shares = [names[first :: plan.processes] for first in range(min(plan.processes, len(names)))]
    given_up: list[str] = []

    async def supervise(name: str, share: Sequence[str]) -> None:
        if not await supervise_child(
            name, _command(plan, session, share), asked.stop, settings.drain_seconds,
            environment=environment, finishes=True,
        ):  # fmt: skip
            given_up.append(name)

    async with open_task_group() as tasks:
        for number, share in enumerate(shares, 1):
            tasks.start_soon(supervise, f"host-{number}", share)
    if given_up:
        raise Failure(f"a process that hosts agents of {session!r} keeps dying; its log is above")


def _command(plan: Play, session: str, share: Sequence[str]) -> list[str]:
    switches = [*(["--offline"] * plan.offline), *(["--fast"] * plan.fast)]
    return [
        sys.executable, "-m", "parley", "host", plan.cast.name, "--session", session,
        "--minder", str(os.getpid()), *(word for name in share for word in ("--agent", name)),
        *switches,
    ]  # fmt: skip


def _tell_how_to_resume(cast: Cast, session: str) -> None:
    heads = count_of(len(cast.parts), "agent")
    print_notice(f"{heads} leaving; session {session!r} stays open (Ctrl-C again: at once)")
    print_notice(f"'parley run {cast.name} --session {session}' goes on")


@asynccontextmanager
async def _some_worker(
    settings: Settings, running: Connection
) -> AsyncIterator[WorkerProcess | None]:
    """A worker of our own; None where others work."""
    if await has_live_worker(running.bus):
        yield None
        return
    async with run_worker_process(settings, running.url) as worker:
        yield worker


async def _settled(
    settings: Settings, url: str, backend: Backend, session: str, worker: WorkerProcess | None
) -> None:
    """Waits for what memory is owed; with another worker where the one there was has died.

    Workers of others are known by their signs of life alone: one that was killed
    just before is taken for alive until it is `STALE_MS` silent.
    """
    if worker is not None and worker.ended is None:
        await wait_until_settled(backend, session, settings.patience, worker.check)
        return
    if worker is None:
        with anyio.move_on_after(STALE_MS / 1000):
            await wait_until_settled(backend, session, settings.patience)
            return
    if worker is None and await has_live_worker(backend.bus):
        await wait_until_settled(backend, session, settings.patience)
    else:
        if worker is not None:
            print_notice(f"the worker ended with {worker.ended}; another one goes on")
        async with run_worker_process(settings, url) as another:
            await wait_until_settled(backend, session, settings.patience, another.check)
