"""Taking words out: `redact`."""

from __future__ import annotations

from typing import Annotated

import typer

from server.commands.options import Json, Session, settings
from server.commands.talk import Speaker


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
    from server import redacting
    from server.entry_drafts import person
    from server.errors import Misuse
    from server.output import emit, tell
    from server.running import run

    if not reason.strip():
        raise Misuse("--reason: is empty; say why, without repeating what goes")
    if not yes:
        for line in redacting.foretold(
            run(redacting.foreseen(settings(ctx), session, n, renumber))
        ):
            tell(line)
        typer.confirm(f"Redact entry {n} of {session} for good?", abort=True, err=True)
    done = run(
        redacting.redacted(
            settings(ctx), session, n, reason=reason, by=as_ or person(), renumber=renumber
        )
    )
    if json:
        emit(done)
    else:
        for line in redacting.told(done):
            tell(line)
