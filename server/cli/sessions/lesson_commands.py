"""`parley lessons …`: what sessions learn from each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from parley.server.cli.sessions.talk_commands import Speaker
from parley.server.cli.shared.options import Json, Session, settings


class _ShowsFirst(TyperGroup):
    """`parley lessons SESSION` is `parley lessons show SESSION`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in {*self.commands, *ctx.help_option_names}:
            args = ["show", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_ShowsFirst,
    help="What a session learnt from others, and what it could teach.\n\n"
    "'parley lessons SESSION' is 'parley lessons show SESSION'.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def add_to(root: typer.Typer) -> None:
    root.add_typer(app, name="lessons")


@app.command()
def show(
    ctx: typer.Context,
    session: Session,
    teach: Annotated[bool, typer.Option("--teach", help="what it could teach instead")] = False,
    json: Json = False,
) -> None:
    """What a session learnt, the weightiest first. "show" may be left out."""
    from parley.server.basics.output import print_notice
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.services import lessons

    if teach:
        rows = call_service(settings(ctx), lessons.list_teachable, session)
    else:
        rows = call_service(settings(ctx), lessons.list_learnt, session)
    _show(rows, json)
    if not rows and teach:
        print_notice(f"{session} has nothing to teach yet: no ratified decision, no insight")
    elif not rows:
        print_notice(
            f"{session} learnt nothing yet; 'parley lessons import {session} --from OTHER'"
        )


@app.command()
def export(
    ctx: typer.Context,
    session: Session,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="file  [default: SESSION.lessons.json]")
    ] = None,
) -> None:
    """Save what a session could teach to a file; -o - writes to stdout."""
    from parley.server.basics.disk_files import write_bytes
    from parley.server.basics.output import count_of, print_notice, write_stdout
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.services import lessons

    data, count = call_service(settings(ctx), lessons.export_lessons, session)
    path = out or Path(f"{session}.lessons.json")
    if str(path) == "-":
        write_stdout(data)
    else:
        write_bytes(path, data)
        print_notice(f"{count_of(count, 'lesson')} in {path}")


@app.command("import")
def import_(
    ctx: typer.Context,
    target: Annotated[str, typer.Argument(metavar="TARGET", help="session that learns")],
    source: Annotated[
        str,
        typer.Option("--from", metavar="SESSION|FILE", help="a file has a slash, or ends .json"),
    ],
    top: Annotated[
        int | None, typer.Option("--top", min=1, metavar="N", help="only the N weightiest")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="show them, import nothing")] = False,
    as_: Speaker = None,
    json: Json = False,
) -> None:
    """Have a session learn what another could teach. Repeating it is harmless."""
    from parley.server.basics.entry_drafts import login_name
    from parley.server.basics.output import count_of, print_notice
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.services import lessons

    lesson_import = call_service(
        settings(ctx), lessons.learn_from_source, target, source,
        most=top, dry=dry_run, by=as_ or login_name(),
    )  # fmt: skip
    _show(lesson_import.rows, json)
    if dry_run:
        print_notice(f"{target} would be offered {count_of(len(lesson_import.rows), 'lesson')}")
    else:
        known = (
            f"{lesson_import.known} {'was' if lesson_import.known == 1 else 'were'} there before"
        )
        print_notice(f"{target} was offered {count_of(len(lesson_import.rows), 'lesson')}; {known}")


def _show(rows: list[dict[str, Any]], json: bool) -> None:
    from parley.server.basics.output import escape, print_json, stdout
    from parley.server.services.lessons import lesson_text

    for row in rows:
        if json:
            print_json(row)
        else:
            stdout().print(escape(lesson_text(row)), markup=False)
