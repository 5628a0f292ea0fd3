"""`parley scenario …`: deliberations written down, before they are run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parley.server.cli.shared import completions
from parley.server.cli.shared.command_names import Family
from parley.server.cli.shared.options import Json, settings

app = typer.Typer(
    cls=Family,
    help="List, show, begin and check scenarios; 'parley run' plays one.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def add_to(root: typer.Typer) -> None:
    root.add_typer(app, name="scenario")


@app.command()
def ls(json: Json = False) -> None:
    """List the scenarios that come with Parley."""
    from parley.server.catalogue import scenario_catalogue
    from parley.server.render import scenario_text

    scenario_text.show_listed(scenario_catalogue.list_scenarios(), json)


@app.command()
def show(
    ctx: typer.Context,
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO",
            help="a name or a YAML file",
            autocompletion=completions.complete_scenarios,
        ),
    ],
    raw: Annotated[bool, typer.Option("--raw", help="the file as it is")] = False,
    json: Json = False,
) -> None:
    """Who takes part, how it goes round, when it ends. Then the most that it can come to."""
    from parley.server.basics.output import write_stdout
    from parley.server.catalogue import scenario_catalogue
    from parley.server.render import scenario_text

    if raw:
        write_stdout(scenario_catalogue.read_scenario(scenario).encode())
    else:
        scenario_text.show_scenario(
            scenario_catalogue.describe_scenario(settings(ctx), scenario), json
        )


@app.command()
def check(
    ctx: typer.Context,
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="names or YAML files")],
    json: Json = False,
) -> None:
    """Check scenarios whole: keys, personas, settings, bounds. Exit code 1 where one is refused."""
    from parley.server.catalogue import scenario_catalogue
    from parley.server.render import scenario_text

    rows = [scenario_catalogue.check_scenario(settings(ctx), file) for file in files]
    scenario_text.show_checked(rows, json)
    if any(row["refused"] for row in rows):
        raise SystemExit(1)


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="where it goes, such as boats.yaml")],
    force: Annotated[bool, typer.Option("--force", help="write over a file that is there")] = False,
    json: Json = False,
) -> None:
    """Write a small scenario to begin with. It can be run as it is."""
    from parley.server.catalogue.new_files import write_scenario
    from parley.server.render import command_output

    command_output.show_value({"file": str(write_scenario(file, force=force))}, "file", json)


@app.command()
def schema() -> None:
    """Print the JSON Schema of the format, for an editor."""
    from parley.server.basics.output import write_stdout
    from parley.server.catalogue import scenario_catalogue

    write_stdout(scenario_catalogue.scenario_schema())
