"""`parley minutes`: the minutes of a session or of a record of talk, to hand on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from parley.server.cli.shared import completions
from parley.server.cli.shared.options import At, InputFormat, Json, Speakers, settings


def add_to(app: typer.Typer) -> None:
    app.command()(minutes)


def minutes(
    ctx: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            metavar="SESSION|FILE",
            help="a session, a record of talk, or -",
            autocompletion=completions.complete_sources,
        ),
    ],
    format: Annotated[
        Literal["text", "md", "html", "json"] | None,
        typer.Option(help="what to write  [default: as FILE ends, else text]"),
    ] = None,
    input_format: InputFormat = None,
    speaker: Speakers = None,
    at: At = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="write them there")
    ] = None,
    json: Json = False,
) -> None:
    """The minutes of a session or transcript, to hand on."""
    from parley.server.cli.operations.minutes_output import hand_on_minutes as handed_on

    form = "json" if json and format is None else format
    handed_on(settings(ctx), source, form, at, out, input_format, speaker or ())
