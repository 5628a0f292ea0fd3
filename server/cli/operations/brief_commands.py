"""`parley brief`: what was decided, what is open, what waits for you."""

from __future__ import annotations

from typing import Annotated

import typer

from parley.server.cli.shared import completions
from parley.server.cli.shared.options import As, At, InputFormat, Json, Speakers, settings


def add_to(app: typer.Typer) -> None:
    app.command()(brief)


def brief(
    ctx: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            metavar="SESSION|FILE",
            help="a session, a record of talk, or -",
            autocompletion=completions.complete_sources,
        ),
    ],
    input_format: InputFormat = None,
    speaker: Speakers = None,
    as_: As = None,
    at: At = None,
    json: Json = False,
) -> None:
    """What was decided, what is open, and what waits for you.

    --as NAME says who asks: what waits for NAME, ballots to cast say, is told in the first
    sentence. Without it, for your login; a file waits for nobody.
    """
    from parley.server.cli.operations.brief_output import show_brief

    show_brief(settings(ctx), source, at, input_format, speaker or (), as_, json)
