"""`parley settings`: what is in force, where it came from, and what use suggests."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from server.commands.helping import listing
from server.commands.options import Json, settings, sources

PRESETS: Final = "presets"

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="SESSION", help="a session's; 'presets' lists presets  [default: this process's]"
    ),
]


def add_to(app: typer.Typer) -> None:
    app.command("settings", cls=listing())(shown)


def shown(
    ctx: typer.Context,
    session: Name = None,
    changed: Annotated[bool, typer.Option("--changed", help="those set otherwise only")] = False,
    suggest: Annotated[
        bool, typer.Option("--suggest", help="limits that what was measured calls for")
    ] = False,
    apply: Annotated[bool, typer.Option("--apply", help="put them in force; logged")] = False,
    json: Json = False,
) -> None:
    """The settings in force and where each comes from."""
    from server import advising
    from server.errors import Misuse
    from server.running import run
    from server.settings import inventory, inventory_view

    if apply and not suggest:
        raise Misuse("--apply puts what --suggest says in force: give both")
    if session is None or session == PRESETS:
        if suggest:
            raise Misuse("--suggest is about a session: give its name")
        if session == PRESETS:
            inventory_view.show_presets(inventory.presets(), json)
        else:
            rows = inventory.of_process(settings(ctx), sources(ctx))
            inventory_view.show_settings(rows, changed, json)
        return
    rows, advice = run(advising.asked(settings(ctx), session))
    if not suggest:
        inventory_view.show_settings(rows, changed, json)
        return
    inventory_view.show_advice(advice, json)
    if apply and advice:
        run(advising.apply(settings(ctx), session, advice))
        inventory_view.show_applied(session, advice)
