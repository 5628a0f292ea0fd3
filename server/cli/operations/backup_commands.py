"""`parley backup` and `parley restore`: all sessions as files in a directory, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parley.server.cli.shared.options import Json, startup

if TYPE_CHECKING:
    from parley.server.records.backup import Outcome

Directory = Annotated[
    Path, typer.Argument(metavar="DIR", help="directory with a file for each session")
]


def add_to(app: typer.Typer) -> None:
    app.command()(backup)
    app.command()(restore)


def backup(ctx: typer.Context, directory: Directory, json: Json = False) -> None:
    """Save every session, or what has changed since, in a directory."""
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.cli.shared.progress_lines import ProgressLines
    from parley.server.records.backup import back_up

    _show(call_bus(startup(ctx), back_up, directory, ProgressLines("sessions saved")), json)


def restore(
    ctx: typer.Context,
    directory: Directory,
    session: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SESSION]...", help="these alone  [default: all in DIR]"),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="overwrite live sessions")] = False,
    json: Json = False,
) -> None:
    """Put the sessions that 'parley backup' saved in place."""
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.cli.shared.progress_lines import ProgressLines
    from parley.server.records.backup import restore_backup

    progress = ProgressLines("sessions restored")
    _show(
        call_bus(startup(ctx), restore_backup, directory, session or (), progress, replace=replace),
        json,
    )


def _show(outcome: Outcome, json: bool) -> None:
    from msgspec.structs import asdict

    from parley.server.basics.output import print_notice
    from parley.server.render import command_output

    text = f"{outcome.written:,} written, {outcome.unchanged:,} as they were"
    command_output.show_done(
        asdict(outcome), text + (f", {len(outcome.failed):,} failed" * bool(outcome.failed)), json
    )
    for name, why in sorted(outcome.failed.items()):
        print_notice(f"{name}: {why}")
    if outcome.failed:
        raise typer.Exit(1)
