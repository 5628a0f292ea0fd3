"""`parley settings`: what is in force, where it came from, and what use suggests."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from parley.server.cli.shared import completions
from parley.server.cli.shared.help_pages import listing
from parley.server.cli.shared.options import Json, settings, sources, startup

PRESETS: Final = "presets"

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="SESSION",
        help="a session's; 'presets' lists presets  [default: this process's]",
        autocompletion=completions.complete_sessions,
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
    from parley.server.basics.errors import Misuse
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.render import setting_text
    from parley.server.services import settings_advice
    from parley.server.settings import setting_inventory

    if apply and not suggest:
        raise Misuse("--apply puts what --suggest says in force: give both")
    if session is None or session == PRESETS:
        if suggest:
            raise Misuse("--suggest is about a session: give its name")
        if session == PRESETS:
            setting_text.show_presets(setting_inventory.list_presets(), json)
        else:
            rows = setting_inventory.list_process_settings(settings(ctx), sources(ctx))
            setting_text.show_settings(rows, changed, json)
        return
    rows, advice = call_service(settings(ctx), settings_advice.suggest_settings, session)
    if not suggest:
        setting_text.show_settings(rows, changed, json)
        return
    setting_text.show_advice(advice, json)
    if apply and advice:
        call_bus(startup(ctx), settings_advice.apply_advice, session, advice)
        setting_text.show_applied(session, advice)
