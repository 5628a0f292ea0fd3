"""`parley demo`: a whole deliberation in under a minute, with nothing to set up."""

from __future__ import annotations

from typing import Annotated

import typer

from parley.server.cli.shared.options import Json, settings


def add_to(app: typer.Typer) -> None:
    app.command()(demo)


def demo(
    ctx: typer.Context,
    fast: Annotated[
        bool, typer.Option("--fast", help="flat out, no live view; otherwise half a minute")
    ] = False,
    json: Json = False,
) -> None:
    """Replay a bundled deliberation live, then print its minutes.

    It runs through an embedded Redis and a real worker, both gone afterwards.
    """
    from parley.server.plays.demo import demonstrate
    from parley.server.render import command_output
    from parley.server.runtime.connection import run

    command_output.show_minutes(run(demonstrate(settings(ctx), fast=fast)), json)
