"""`parley scenario …`: deliberations written down, before they are run."""

from __future__ import annotations

from typing import Annotated

import typer

from server.commands.options import Json, settings

app = typer.Typer(
    help="List, show and check scenarios; 'parley run' plays one.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command()
def ls(json: Json = False) -> None:
    """List the scenarios that come with Parley."""
    from server import scenario_view
    from server.scenarios import describing

    scenario_view.show_listed(describing.listed(), json)


@app.command()
def show(
    ctx: typer.Context,
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="a name or a YAML file")],
    raw: Annotated[bool, typer.Option("--raw", help="the file as it is")] = False,
    json: Json = False,
) -> None:
    """Who takes part, how it goes round, when it ends. Then the most that it can come to."""
    from server import scenario_view
    from server.output import emit_bytes
    from server.scenarios import describing

    if raw:
        emit_bytes(describing.text(scenario).encode())
    else:
        scenario_view.show_one(describing.described(settings(ctx), scenario), json)


@app.command()
def check(
    ctx: typer.Context,
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="names or YAML files")],
    json: Json = False,
) -> None:
    """Check scenarios whole: keys, personas, settings, bounds. Exit code 1 where one is refused."""
    from server import scenario_view
    from server.scenarios import describing

    found = [describing.checked(settings(ctx), file) for file in files]
    scenario_view.show_checked(found, json)
    if any(row["refused"] for row in found):
        raise SystemExit(1)


@app.command()
def schema() -> None:
    """Print the JSON Schema of the format, for an editor."""
    from server.output import emit_bytes
    from server.scenarios import describing

    emit_bytes(describing.schema())
