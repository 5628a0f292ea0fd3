"""`parley run`, from the wish to the exit code: what it may cost, the play, the minutes."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parley.bus.entries import Record
from parley.bus.log.local_log import LocalLog
from parley.listeners.cache.projection import fact_rows
from parley.listeners.models.model_port import Speaker
from parley.listeners.spending.prices import Prices
from parley.memory.fold.apply import apply
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.server.basics.errors import Failure, Misuse
from parley.server.basics.interrupts import interruptible
from parley.server.basics.log_setup import configure
from parley.server.basics.output import cell, emit, stderr, stdout, tell
from parley.server.plays.play import Play, Played, here, play
from parley.server.plays.rehearsal import file_of, rehearse
from parley.server.queries.log_queries import closing
from parley.server.records.session_file import write_file
from parley.server.render import command_output
from parley.server.render.events.live_text import show
from parley.server.rows.digest_rows import minutes
from parley.server.runtime.connection import connected, run
from parley.server.runtime.model_endpoint import heard
from parley.server.runtime.packs import Packs, read_packs
from parley.server.runtime.worker import stop_with
from parley.server.scenarios.cast import Cast, cast
from parley.server.scenarios.cast_models import prices, told, voice
from parley.server.scenarios.cost_bound import Worst, bounded
from parley.server.scenarios.play_text import ended_lines, worst_line
from parley.server.scenarios.session_setup import opened, settings_of
from parley.server.settings import Settings


@dataclass(frozen=True, slots=True)
class Wish:
    """What was typed."""

    scenario: str
    session: str | None = None
    seed: int | None = None
    processes: int = 0
    out: Path | None = None
    yes: bool = False
    offline: bool = False
    fast: bool = False
    json: bool = False
    minder: int | None = None  # a process that this one does not outlive


def perform(settings: Settings, wish: Wish) -> int:
    """Plays a scenario, shows what came of it; the exit code. Raises `Misuse` and `Failure`."""
    settings = _quiet(settings)
    found = cast(wish.scenario, settings.personas)
    _check(wish)
    offline = wish.offline or wish.seed is not None or not settings.has_model
    settings = told(settings, found, offline=offline)
    packs = read_packs(settings.packs)
    plan = Play(
        found, opened(found, settings, packs, wish.seed), packs, wish.session,
        wish.processes, wish.out, offline, wish.fast,
    )  # fmt: skip
    paid = prices(settings, found)
    model = voice(settings, found, fast=wish.fast or wish.seed is not None)
    _announce(
        bounded(plan.cast, settings_of(plan.entry), paid),
        offline=offline,
        ask=not offline and not wish.yes,
    )
    if wish.seed is not None:
        played = _rehearsed(plan, model)
    else:
        played = run(_played(settings, plan, model, paid, wish.minder))
    _show(played, wish, scripted=offline, priced=bool(paid))
    _fail_where_nobody_answered(played)
    return played.exit_code


def _quiet(settings: Settings) -> Settings:
    """Leaves the screen to the talk: what goes as it should is not logged unless that was set."""
    if "log_level" in settings.model_fields_set:
        return settings
    configure("warning", settings.log_json)
    return settings.model_copy(update={"log_level": "warning"})


def _check(wish: Wish) -> None:
    """Raises `Misuse` for what would fail only at the end, or make no sense together."""
    if wish.out is not None and not wish.out.absolute().parent.is_dir():
        raise Misuse(f"--out {str(wish.out)!r}: there is no such folder")
    if wish.seed is not None and wish.processes:
        raise Misuse("--seed plays in this process alone; leave --processes out")


def _announce(found: Worst, *, offline: bool, ask: bool) -> None:
    """Says what it may come to; asks where there is somebody to answer."""
    if offline:
        tell("no model is asked: the words are those of the script")
    tell(worst_line(found))
    if ask and sys.stdin.isatty() and sys.stderr.isatty():
        sys.stderr.write("begin? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise Failure("nothing was begun; --yes begins without asking")


async def _played(
    settings: Settings, plan: Play, model: Speaker, paid: Prices, minder: int | None
) -> Played:
    watch = None if minder is None else asyncio.create_task(stop_with(minder))
    try:
        async with heard(model):
            return await play(settings, plan, model, paid)
    finally:
        if watch is not None:
            watch.cancel()


def _rehearsed(plan: Play, model: Speaker) -> Played:
    session = plan.session or plan.cast.name.rpartition("/")[2].removesuffix(".yaml")
    console = stderr()

    def hear(record: Record, facts: Sequence[Fact]) -> None:
        if not plan.fast:
            show(console, record)
            for row in fact_rows([(record.seq, list(facts))]):
                show(console, row)

    log = rehearse(plan.cast, plan.entry, plan.packs, model, session, hear)
    if plan.out is not None:
        write_file(plan.out, file_of(log))
    return Played(session, *_came_to(log, plan.packs))


def _came_to(log: LocalLog, packs: Packs) -> tuple[dict[str, Any], dict[str, Any]]:
    """Why the session of `log` ended, and its minutes."""
    memory = Memory(packs.known)
    said: dict[int, Record] = {}
    ended: dict[str, Any] | None = None
    for record in log.read(count=log.info().head):
        apply(memory, record)
        said.setdefault(record.n, record)
        if record.entry.kind == "session.closed":
            ended = closing(record.entry)
    if ended is None:
        raise Failure("the rehearsal came to no end")
    return ended, minutes(memory, said)


def _show(played: Played, wish: Wish, *, scripted: bool, priced: bool) -> None:
    if played.ended is None or played.minutes is None:
        return
    if wish.json:
        emit({"session": played.session, "ended": played.ended, "minutes": played.minutes})
        return
    command_output.show_minutes(played.minutes, json=False)
    console = stdout()
    console.print()
    lines = ended_lines(played.session, played.ended, scripted=scripted, priced=priced)
    for line in lines:
        console.print(cell(line))


def _fail_where_nobody_answered(played: Played) -> None:
    """Raises `Failure` where every call failed: what ended was no talk, whatever rule says so.

    One that was given up as the others failed was not answered either.
    """
    ended = played.ended or {}
    totals = ended.get("totals", {})
    calls = totals.get("calls", 0)
    given_up = ended.get("reason") == "errors" and not totals.get("turns", 0)
    if calls and (given_up or totals.get("failed", 0) == calls):
        raise Failure(
            f"none of the {calls} model calls of {played.session!r} was answered: see that the "
            "endpoint of --model-url is up and has these models"
        )


def serve(
    settings: Settings,
    scenario: str,
    session: str,
    names: Sequence[str],
    minder: int | None,
    *,
    offline: bool,
    fast: bool,
) -> int:
    """Hosts `names` of a scenario in an open session until it is closed; the exit code."""
    settings = _quiet(settings)
    found = cast(scenario, settings.personas)
    settings = told(settings, found, offline=offline or not settings.has_model)
    model = voice(settings, found, fast=fast)
    return int(run(_serve(settings, found, session, names, minder, model)))


async def _serve(
    settings: Settings, found: Cast, session: str, names: Sequence[str], minder: int | None,
    model: Speaker,
) -> int:  # fmt: skip
    parts = [part for part in found.parts if part.name in names]
    if missing := set(names) - {part.name for part in parts}:
        raise Misuse(f"{found.source}: no participant is called {min(missing)!r}")
    packs = read_packs(settings.packs)
    watch = None if minder is None else asyncio.create_task(stop_with(minder))
    try:
        async with connected(settings) as running, heard(model):
            with interruptible(lambda: None) as asked:
                await here(
                    running.bus, packs, session, parts, model, prices(settings, found), asked
                )
        return 0
    finally:
        if watch is not None:
            watch.cancel()
