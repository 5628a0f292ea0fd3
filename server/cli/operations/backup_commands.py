"""`parley backup`, `restore` and `archive`: sessions as files in a directory, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parley.server.cli.shared.options import Json, startup

if TYPE_CHECKING:
    from parley.bus import Bus
    from parley.server.records.backup import Outcome

Directory = Annotated[
    Path, typer.Argument(metavar="DIR", help="directory with a file for each session")
]


def add_to(app: typer.Typer) -> None:
    app.command()(backup)
    app.command()(restore)
    app.command()(archive)


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


def archive(
    ctx: typer.Context,
    directory: Directory,
    older_than: Annotated[
        str, typer.Option("--older-than", metavar="TIME", help="without an entry for: 30d, 12w")
    ],
    tenant: Annotated[
        str, typer.Option(metavar="TENANT", help="those called TENANT.NAME alone")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="list them, and move none")] = False,
    json: Json = False,
) -> None:
    """Move old sessions from Redis to a directory.

    Each is removed only once its file was read back from the disk. 'parley restore DIR NAME'
    brings it back.
    """
    from msgspec.structs import asdict

    from parley.server.basics.durations import parse_duration
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.cli.shared.progress_lines import ProgressLines
    from parley.server.records.archive import archive_old, list_old
    from parley.server.render.tables.session_table import show_sessions

    seconds = parse_duration(older_than)

    async def move(bus: Bus) -> Outcome | None:
        old = await list_old(bus, seconds, tenant)
        if dry_run:
            show_sessions([asdict(info) for info in old], json)
            return None
        return await archive_old(bus, directory, old, ProgressLines("sessions archived"))

    if (outcome := call_bus(startup(ctx), move)) is not None:
        _show(outcome, json, "moved")


def _show(outcome: Outcome, json: bool, done: str = "written") -> None:
    from msgspec.structs import asdict

    from parley.server.basics.output import print_notice
    from parley.server.render import command_output

    text = f"{outcome.written:,} {done}"
    if done == "written":
        text += f", {outcome.unchanged:,} as they were"
    command_output.show_done(
        asdict(outcome), text + (f", {len(outcome.failed):,} failed" * bool(outcome.failed)), json
    )
    for name, why in sorted(outcome.failed.items()):
        print_notice(f"{name}: {why}")
    if outcome.failed:
        raise typer.Exit(1)
