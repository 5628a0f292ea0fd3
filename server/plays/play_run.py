"""`parley run`, from the wish to the exit code: what it may cost, the play, the minutes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parley.bus.entries import Record
from parley.bus.log.local_log import LocalLog
from parley.listeners.cache.projection import entry_rows
from parley.listeners.models.model_port import StreamingModel
from parley.listeners.spending.prices import Prices
from parley.memory.fold.replay import replay
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.server.basics.errors import Failure, Misuse
from parley.server.basics.interrupts import handle_signals
from parley.server.basics.log_setup import configure_logging
from parley.server.basics.output import print_json, print_notice, stderr, stdout, table_cell
from parley.server.plays.play import Play, PlayResult, patience_of, play, play_in_process
from parley.server.plays.rehearsal import rehearse, session_file
from parley.server.queries.log_queries import closing_row
from parley.server.records.session_file import write_file
from parley.server.render import command_output
from parley.server.render.events.live_text import print_line
from parley.server.rows.digest_rows import digest
from parley.server.runtime.backend import Backend
from parley.server.runtime.connection import open_connection, run
from parley.server.runtime.model_endpoint import closing_model
from parley.server.runtime.packs import Packs, read_packs
from parley.server.runtime.worker import stop_with_parent
from parley.server.scenarios.cast import Cast, cast_scenario
from parley.server.scenarios.cast_models import cast_prices, open_cast_model, with_scenario_models
from parley.server.scenarios.cost_bound import CostBound, bound_cost
from parley.server.scenarios.play_text import ended_lines, worst_line
from parley.server.scenarios.session_setup import opening_entry, settings_of
from parley.server.settings import Settings
from parley.server.telemetry.otlp_export import open_telemetry


@dataclass(frozen=True, slots=True)
class RunOptions:
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


def run_scenario(settings: Settings, wish: RunOptions) -> int:
    """Plays a scenario, shows what came of it; the exit code. Raises `Misuse` and `Failure`."""
    settings = _quiet(settings)
    cast = cast_scenario(wish.scenario, settings.personas)
    _check(wish)
    offline = wish.offline or wish.seed is not None or not settings.has_model
    settings = with_scenario_models(settings, cast, offline=offline)
    packs = read_packs(settings.packs)
    plan = Play(
        cast, opening_entry(cast, settings, packs, wish.seed), packs, wish.session,
        wish.processes, wish.out, offline, wish.fast,
    )  # fmt: skip
    paid = cast_prices(settings, cast)
    model = open_cast_model(settings, cast, fast=wish.fast or wish.seed is not None)
    _announce(
        bound_cost(plan.cast, settings_of(plan.entry), paid),
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
    configure_logging("warning", settings.log_json)
    return settings.model_copy(update={"log_level": "warning"})


def _check(wish: RunOptions) -> None:
    """Raises `Misuse` for what would fail only at the end, or make no sense together."""
    if wish.out is not None and not wish.out.absolute().parent.is_dir():
        raise Misuse(f"--out {str(wish.out)!r}: there is no such folder")
    if wish.seed is not None and wish.processes:
        raise Misuse("--seed plays in this process alone; leave --processes out")


def _announce(bound: CostBound, *, offline: bool, ask: bool) -> None:
    """Says what it may come to; asks where there is somebody to answer."""
    if offline:
        print_notice("no model is asked: the words are those of the script")
    print_notice(worst_line(bound))
    if ask and sys.stdin.isatty() and sys.stderr.isatty():
        sys.stderr.write("begin? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise Failure("nothing was begun; --yes begins without asking")


async def _played(
    settings: Settings, plan: Play, model: StreamingModel, paid: Prices, minder: int | None
) -> PlayResult:
    async with stop_with_parent(minder), closing_model(model):
        return await play(settings, plan, model, paid)


def _rehearsed(plan: Play, model: StreamingModel) -> PlayResult:
    session = plan.session or plan.cast.name.rpartition("/")[2].removesuffix(".yaml")
    console = stderr()

    def hear(record: Record, facts: Sequence[Fact]) -> None:
        if not plan.fast:
            for line in entry_rows(record, facts):
                print_line(console, line)

    log = rehearse(plan.cast, plan.entry, plan.packs, model, session, hear)
    if plan.out is not None:
        write_file(plan.out, session_file(log))
    return PlayResult(session, *_came_to(log, plan.packs))


def _came_to(log: LocalLog, packs: Packs) -> tuple[dict[str, Any], dict[str, Any]]:
    """Why the session of `log` ended, and its minutes."""
    memory = Memory(packs.known)
    records: dict[int, Record] = {}
    ended: dict[str, Any] | None = None
    for record, _ in replay(memory, log.read(count=log.info().head)):
        records.setdefault(record.n, record)
        if record.entry.kind == "session.closed":
            ended = closing_row(record.entry)
    if ended is None:
        raise Failure("the rehearsal came to no end")
    return ended, digest(memory, records)


def _show(played: PlayResult, wish: RunOptions, *, scripted: bool, priced: bool) -> None:
    if played.ended is None or played.minutes is None:
        return
    if wish.json:
        print_json({"session": played.session, "ended": played.ended, "minutes": played.minutes})
        return
    command_output.show_minutes(played.minutes, json=False)
    console = stdout()
    console.print()
    lines = ended_lines(played.session, played.ended, scripted=scripted, priced=priced)
    for line in lines:
        console.print(table_cell(line))


def _fail_where_nobody_answered(played: PlayResult) -> None:
    """Raises `Failure` where every call failed: what ended was no talk, whatever rule says so.

    One that was given up as the others failed was not answered either.
    """
    ended = played.ended or {}
    totals = ended.get("totals", {})
    calls = totals.get("calls", 0)
    given_up = ended.get("reason") == "errors" and not totals.get("turns", 0)
    if calls and (given_up or totals.get("failed", 0) == calls):
        raise Failure(
            f"none of the {calls} model calls of {played.session!r} was answered: 'parley doctor' "
            "asks the endpoint of --model-url and says what to change; a model that is up and "
            "slow wants more --patience"
        )


def host_scenario(
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
    cast = cast_scenario(scenario, settings.personas)
    settings = with_scenario_models(settings, cast, offline=offline or not settings.has_model)
    model = open_cast_model(settings, cast, fast=fast)
    return int(run(_serve(settings, cast, session, names, minder, model)))


async def _serve(
    settings: Settings, cast: Cast, session: str, names: Sequence[str], minder: int | None,
    model: StreamingModel,
) -> int:  # fmt: skip
    parts = [part for part in cast.parts if part.name in names]
    if missing := set(names) - {part.name for part in parts}:
        raise Misuse(f"{cast.source}: no participant is called {min(missing)!r}")
    packs = read_packs(settings.packs)
    async with (
        stop_with_parent(minder),
        open_telemetry(settings.telemetry, "parley-agents"),
        open_connection(settings) as running,
        closing_model(model),
        handle_signals(lambda: None) as asked,
    ):
        backend, prices = Backend.of(running.bus, packs), cast_prices(settings, cast)
        await play_in_process(backend, session, parts, model, prices, asked, patience_of(settings))
    return 0
