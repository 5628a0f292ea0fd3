"""Taking words out: `redact`."""

from __future__ import annotations

from typing import Annotated

import typer

from parley.server.cli.sessions.talk_commands import Speaker
from parley.server.cli.shared.options import Json, Session, settings


def add_to(app: typer.Typer) -> None:
    app.command()(redact)


def redact(
    ctx: typer.Context,
    session: Session,
    n: Annotated[int, typer.Argument(min=1, metavar="N", help="number of the message or entry")],
    reason: Annotated[str, typer.Option(metavar="TEXT", help="why; logged for everyone to read")],
    as_: Speaker = None,
    renumber: Annotated[
        bool, typer.Option("--renumber", help="even where later items get other handles")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="do not ask")] = False,
    json: Json = False,
) -> None:
    """Take the words of one entry out of a session, for good.

    Shows first what would go. Who said it, when, and how it counted stays.
    """
    from parley.server.basics.entry_drafts import login_name
    from parley.server.basics.errors import Misuse
    from parley.server.basics.output import print_json, print_notice
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.services import redaction

    if not reason.strip():
        raise Misuse("--reason: is empty; say why, without repeating what goes")
    if not yes:
        for line in redaction.preview_lines(
            call_service(settings(ctx), redaction.preview_redaction, session, n, renumber)
        ):
            print_notice(line)
        typer.confirm(f"Redact entry {n} of {session} for good?", abort=True, err=True)
    done = call_service(
        settings(ctx), redaction.redact_entry, session, n,
        reason=reason, by=as_ or login_name(), renumber=renumber,
    )  # fmt: skip
    if json:
        print_json(done)
    else:
        for line in redaction.redaction_lines(done):
            print_notice(line)
