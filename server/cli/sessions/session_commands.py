"""`parley session …`: sessions as wholes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parley.server.cli.shared import completions
from parley.server.cli.shared.command_names import Family
from parley.server.cli.shared.options import Json, Session, settings, startup

app = typer.Typer(
    cls=Family,
    help="Open, list, close, save, restore, verify and fork sessions.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def add_to(root: typer.Typer) -> None:
    root.add_typer(app, name="session")


Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="file to write  [default: SESSION.json]")
]

As = Annotated[str | None, typer.Option("--as", "--by", metavar="NAME", help="who decides it")]


@app.command()
def new(
    ctx: typer.Context,
    session: Session,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="what it is about")] = None,
    json: Json = False,
) -> None:
    """Open a session with the settings and packs in force.

    --preset P says what it remembers; 'parley settings presets' lists them.
    """
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.records.session_opening import open_entry
    from parley.server.render import command_output
    from parley.server.runtime.packs import read_packs

    entry = open_entry(settings(ctx), read_packs(settings(ctx).packs), title)
    call_bus(startup(ctx), lambda bus: bus.open(session, entry))
    command_output.show_done(
        {"session": session, "status": "open"},
        f"{session} is open; 'parley say {session} TEXT --as NAME' talks in it",
        json,
    )


@app.command()
def ls(
    ctx: typer.Context,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="sessions shown")] = 100,
    json: Json = False,
) -> None:
    """List sessions, the latest activity first."""
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.render.tables import session_table
    from parley.server.services import sessions

    rows, worked = call_bus(startup(ctx), sessions.list_with_workers, 0, limit)
    session_table.show_sessions(rows, json, worked=worked)


@app.command()
def show(ctx: typer.Context, session: Session, json: Json = False) -> None:
    """Where a session stands."""
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.render import command_output
    from parley.server.services import sessions

    state = call_bus(startup(ctx), sessions.read_session_state, session)
    command_output.show_pairs(state, json)


@app.command("set")
def set_(
    ctx: typer.Context,
    session: Session,
    pairs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="KEY=VALUE",
            help="such as summary.interval=6",
            autocompletion=completions.complete_settings,
        ),
    ] = None,
    repack: Annotated[
        bool, typer.Option("--repack", help="read on with the packs in force here (--packs)")
    ] = False,
    as_: As = None,
    json: Json = False,
) -> None:
    """Change settings or packs of a live session, from now on."""
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.render import command_output
    from parley.server.services import session_settings
    from parley.server.services.publication import publish_entry

    entry = session_settings.draft_change(pairs or [], settings(ctx), repack=repack, by=as_)
    receipt = call_bus(startup(ctx), publish_entry, session, entry)
    command_output.show_notice(
        receipt, f"{session} goes by other rules after entry {receipt.seq}", json
    )


@app.command()
def compact(ctx: typer.Context, session: Session, as_: As = None, json: Json = False) -> None:
    """Shrink old items of memory to a line each, now.

    Otherwise it happens by itself, near the caps.
    """
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.render import command_output
    from parley.server.services import session_settings
    from parley.server.services.publication import publish_entry

    entry = session_settings.draft_compaction(as_)
    receipt = call_bus(startup(ctx), publish_entry, session, entry)
    command_output.show_notice(receipt, f"the memory of {session} is compacted", json)


@app.command()
def close(
    ctx: typer.Context,
    session: Session,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="logged with it")] = "closed",
    json: Json = False,
) -> None:
    """Take no more entries. The session stays readable."""
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.render import command_output

    call_bus(startup(ctx), lambda bus: bus.close(session, reason))
    command_output.show_done(
        {"session": session, "status": "closed"},
        f"{session} is closed; it stays readable, and can be forked",
        json,
    )


@app.command()
def archive(ctx: typer.Context, session: Session, out: Out = None, json: Json = False) -> None:
    """Close a session, save it to a file, and mark it archived."""
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.render import command_output
    from parley.server.services import sessions

    path = out or Path(f"{session}.json")
    call_bus(startup(ctx), sessions.archive_session, session, path)
    command_output.show_done(
        {"session": session, "status": "archived", "file": str(path)},
        f"{session} is archived in {path}; 'parley session rm {session}' removes it from Redis",
        json,
    )


@app.command()
def export(
    ctx: typer.Context, session: Session, out: Out = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="where entries are missing, save the others")
    ] = False,
    json: Json = False,
) -> None:  # fmt: skip
    """Save a session to a file; -o - writes to stdout."""
    from parley.bus.sessions.copies import copy_of
    from parley.bus.sessions.session_file import describe_lost, encode_file
    from parley.server.basics.output import print_notice, write_stdout
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.records.session_file import write_file
    from parley.server.render import command_output

    stored = call_bus(startup(ctx), lambda bus: bus.audit(session))
    file = copy_of(stored, partial=partial)
    for row in stored.strange_rows():
        print_notice(f"left out: entry {row.seq}-{row.n}, which Parley did not write")
    if file.missing:
        print_notice(f"partial: {describe_lost(file.missing, file.head)}")
    path = out or Path(f"{session}.json")
    if str(path) == "-":
        write_stdout(encode_file(file))
    else:
        write_file(path, file)
        command_output.show_done(
            {
                "session": session,
                "file": str(path),
                "entries": len(file.rows),
                **({"missing": file.missing} if file.missing else {}),
            },
            f"{len(file.rows)} entries in {path}",
            json,
        )


@app.command("import")
def import_(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="session file")],
    as_: Annotated[str | None, typer.Option("--as", metavar="SESSION", help="other name")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="overwrite a live session")] = False,
    partial: Annotated[
        bool, typer.Option("--partial", help="also a file that lacks entries")
    ] = False,
    json: Json = False,
) -> None:
    """Restore a session from a file. Never overwrites one unless told to."""
    from parley.bus.contract.errors import SessionExists
    from parley.bus.sessions.copies import fill_gaps
    from parley.bus.sessions.session_file import describe_lost
    from parley.server.basics.errors import Failure
    from parley.server.basics.output import print_notice
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.records import session_file
    from parley.server.render import command_output

    saved = session_file.read_file(file, partial=partial)
    restored = len(saved.rows)
    if saved.missing:
        lost = describe_lost(saved.missing, saved.head)
        print_notice(f"partial: {lost}; an empty one is set aside in the place of each")
        saved = fill_gaps(saved)
    name = as_ or saved.session
    session_file.check_whole(saved)
    try:
        call_bus(startup(ctx), session_file.restore_session, name, saved, replace=replace)
    except SessionExists:
        raise Failure(
            f"session {name!r} exists; --as NAME restores under another name, "
            "--replace overwrites it"
        ) from None
    command_output.show_done(
        {"session": name, "entries": restored},
        f"{name}: {restored} entries restored",
        json,
    )


@app.command()
def verify(
    ctx: typer.Context,
    session: Annotated[
        str | None,
        typer.Argument(
            metavar="SESSION", help="session", autocompletion=completions.complete_sessions
        ),
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", help="session file instead")] = None,
    json: Json = False,
) -> None:
    """Prove that a session or session file is whole.

    Looks at log, index and snapshots, and whether memory equals its replay.
    """
    from parley.bus.sessions.stored_rows import decode_rows
    from parley.memory.fold.replay import list_set_aside
    from parley.server.basics.errors import Misuse
    from parley.server.basics.output import print_notice
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.cli.shared.progress_lines import ProgressLines
    from parley.server.records import verification
    from parley.server.records.session_file import read_file
    from parley.server.render import command_output
    from parley.server.services import sessions

    if (session is None) == (file is None):
        raise Misuse("give a SESSION or --file FILE")
    if file is not None:
        saved = read_file(file)
        findings = verification.verify_file(saved, settings(ctx), ProgressLines())
        aside = sorted(list_set_aside(decode_rows(saved.rows)))
    else:
        findings = call_service(settings(ctx), verification.verify_session, str(session))
        aside = [] if findings else call_bus(startup(ctx), sessions.list_skips, str(session))
    if aside:
        entries = ", ".join(map(str, aside))
        print_notice(f"set aside, so that no memory has them: entries {entries}")
    command_output.show_findings(session or str(file), findings, json)
    if findings:
        raise typer.Exit(1)


@app.command()
def fork(
    ctx: typer.Context,
    session: Session,
    name: Annotated[str, typer.Argument(metavar="NAME", help="name of the fork")],
    at: Annotated[
        int | None,
        typer.Option("--at", min=0, metavar="N", help="last message shared  [default: all]"),
    ] = None,
    json: Json = False,
) -> None:
    """Open a session that shares another's past."""
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.render import command_output
    from parley.server.services import sessions

    n = call_bus(startup(ctx), sessions.fork_session, session, name, at)
    command_output.show_done(
        {"session": name, "from": session, "n": n}, f"{name} goes on from {session} at {n}", json
    )


@app.command()
def rm(
    ctx: typer.Context,
    session: Session,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="do not ask")] = False,
    json: Json = False,
) -> None:
    """Remove a session and everything kept about it."""
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.render import command_output
    from parley.server.services import sessions

    if not yes:
        typer.confirm(f"Remove {session} for good?", abort=True, err=True)
    call_bus(startup(ctx), sessions.remove_session, session)
    command_output.show_done(
        {"session": session, "status": "removed"}, f"{session} is removed", json
    )
