"""`parley run` and `parley host`: a scenario played by its agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parley.server.cli.shared import completions
from parley.server.cli.shared.options import Json, settings

Name = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO",
        help="a bundled scenario's name, or a YAML file",
        autocompletion=completions.complete_scenarios,
    ),
]
Offline = Annotated[bool, typer.Option("--offline", help="play its script; ask no model")]
Minder = Annotated[
    int | None,
    typer.Option(metavar="PID", help="stop when this process is gone", hidden=True),
]
Fast = Annotated[bool, typer.Option("--fast", help="flat out, no live view")]


def add_to(app: typer.Typer) -> None:
    app.command()(run)
    app.command(hidden=True)(host)


def run(
    ctx: typer.Context,
    scenario: Name,
    session: Annotated[
        str | None, typer.Option(metavar="NAME", help="session  [default: the scenario's name]")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="play the script in virtual time, without Redis: the same every time",
        ),
    ] = None,
    processes: Annotated[
        int,
        typer.Option(min=0, max=64, metavar="K", help="host the agents in K processes; 0: in this"),
    ] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="save the session there")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="do not ask what it may cost")] = False,
    offline: Offline = False,
    fast: Fast = False,
    json: Json = False,
    minder: Minder = None,
) -> None:
    """Play a scenario: its agents deliberate until a rule ends it.

    Then prints the minutes. Without a model its script is played. Ctrl-C leaves the
    session open: the same command goes on with it.
    """
    from parley.server.plays.play_run import RunOptions, run_scenario

    wish = RunOptions(scenario, session, seed, processes, out, yes, offline, fast, json, minder)
    raise SystemExit(run_scenario(settings(ctx), wish))


def host(
    ctx: typer.Context,
    scenario: Name,
    session: Annotated[str, typer.Option(metavar="NAME", help="session that is open")],
    agent: Annotated[list[str], typer.Option(metavar="NAME", help="whom to host here")],
    minder: Minder = None,
    offline: Offline = False,
    fast: Fast = False,
) -> None:
    """Host some of a scenario's agents in a session that is open, until it is closed."""
    from parley.server.plays.play_run import host_scenario

    raise SystemExit(
        host_scenario(settings(ctx), scenario, session, agent, minder, offline=offline, fast=fast)
    )
