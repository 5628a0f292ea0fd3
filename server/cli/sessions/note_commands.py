"""`parley note …`: what participants keep in their own words."""

from __future__ import annotations

from typing import Annotated

import typer

from parley.server.cli.shared.command_names import Family
from parley.server.cli.shared.dashed_words import Spoken
from parley.server.cli.shared.options import At, Json, Session, settings

app = typer.Typer(
    cls=Family,
    help="Read, revise and look back on the notebook of a participant.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def add_to(root: typer.Typer) -> None:
    root.add_typer(app, name="note")


Owner = Annotated[
    str | None, typer.Option("--as", metavar="NAME", help="whose  [default: your login]")
]


@app.command()
def show(
    ctx: typer.Context,
    session: Session,
    as_: Owner = None,
    at: At = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="to the letter, as its owner's context holds it")
    ] = False,
    json: Json = False,
) -> None:
    """The notebook: its standing revision, then what happened since."""
    from parley.server.basics.entry_drafts import login_name
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.render import note_text
    from parley.server.services import notes

    note_text.show(
        call_service(settings(ctx), notes.read_note, session, as_ or login_name(), at),
        raw=raw,
        json=json,
    )


@app.command(cls=Spoken)
def revise(
    ctx: typer.Context,
    session: Session,
    content: Annotated[str, typer.Argument(metavar="TEXT", help="the whole text; - reads stdin")],
    as_: Owner = None,
    base: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="the revision that was read  [default: the last]"),
    ] = None,
    json: Json = False,
) -> None:
    """Put TEXT in place of the notebook. Prints the number of the revision."""
    from parley.server.basics.entry_drafts import login_name
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.cli.shared.stdin_words import stdin_text
    from parley.server.render import command_output
    from parley.server.services import notes

    text = stdin_text() if content == "-" else content
    receipt = call_service(
        settings(ctx), notes.write_note, session, as_ or login_name(), text, base
    )
    command_output.show_receipt(receipt, receipt.n, json)


@app.command(cls=Spoken)
def prompt(
    ctx: typer.Context,
    session: Session,
    content: Annotated[
        str, typer.Argument(metavar="TEXT", help="what just happened; - reads stdin")
    ],
    as_: Owner = None,
    json: Json = False,
) -> None:
    """What to ask a model of yours, to rewrite the notebook in the light of TEXT."""
    from parley.server.basics.entry_drafts import login_name
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.cli.shared.stdin_words import stdin_text
    from parley.server.render import command_output
    from parley.server.services import notes

    text = stdin_text() if content == "-" else content
    asked = call_service(settings(ctx), notes.ask_for_update, session, as_ or login_name(), text)
    command_output.show_value(asked._asdict(), "prompt", json)


@app.command()
def history(
    ctx: typer.Context,
    session: Session,
    as_: Owner = None,
    diff: Annotated[bool, typer.Option("--diff", help="what each changed")] = False,
    json: Json = False,
) -> None:
    """Every revision and every refusal, oldest first."""
    from parley.server.basics.entry_drafts import login_name
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.render import note_text
    from parley.server.services import notes

    note_text.show_history(
        call_service(settings(ctx), notes.list_revisions, session, as_ or login_name()),
        diff=diff,
        json=json,
    )
