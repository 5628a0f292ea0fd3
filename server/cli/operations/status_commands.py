"""Running it: `worker`, `status`, `doctor`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from parley.server.cli.shared.options import Json, settings, startup


class Lanes(StrEnum):
    all = "all"
    fold = "fold"
    effects = "effects"


def add_to(app: typer.Typer) -> None:
    for command in (worker, status, doctor):
        app.command()(command)


def worker(
    ctx: typer.Context,
    lanes: Annotated[Lanes, typer.Option(help="what to work on")] = Lanes.all,
    minder: Annotated[
        int | None,
        typer.Option(metavar="PID", help="drain when PID, which started this one, ends"),
    ] = None,
) -> None:
    """Keep memories fresh and write summaries, until told to stop.

    Ctrl-C or SIGTERM drains: what is in hand is finished first.
    """
    from parley.server.runtime.worker import run_worker

    raise typer.Exit(run_worker(settings(ctx), lanes.value, minder=minder))


def status(ctx: typer.Context, json: Json = False) -> None:
    """Redis, workers, what is due, sessions."""
    from parley.server.render.tables import status_tables
    from parley.server.runtime import status
    from parley.server.runtime.connection import run

    status_tables.show_status(run(status.show_status(startup(ctx))), json)


def doctor(
    ctx: typer.Context,
    ask_model: Annotated[
        bool, typer.Option("--ask-model/--no-model", help="ask the model, which costs tokens")
    ] = True,
    json: Json = False,
) -> None:
    """Check that all Parley needs is there; say how to mend it."""
    from parley.server.render.tables import status_tables
    from parley.server.runtime.connection import run
    from parley.server.runtime.health_checks import run_checks

    checks = run(run_checks(settings(ctx), ask_model=ask_model))
    status_tables.show_checks(checks, json)
    if any(check["state"] == "fail" for check in checks):
        raise typer.Exit(1)
