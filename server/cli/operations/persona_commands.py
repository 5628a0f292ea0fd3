"""`parley persona …`: who there is to take part, and files that say so."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parley.server.cli.shared import completions
from parley.server.cli.shared.command_names import Family
from parley.server.cli.shared.options import Json, settings

app = typer.Typer(
    cls=Family,
    help="List, show, begin, check and import personas.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def add_to(root: typer.Typer) -> None:
    root.add_typer(app, name="persona")


Files = Annotated[
    list[Path], typer.Argument(metavar="FILE", help="persona files, or directories of them")
]


@app.command()
def ls(ctx: typer.Context, json: Json = False) -> None:
    """Everyone who can be seated. From the files of --personas, and the bundled cast."""
    from parley.server.catalogue import persona_catalogue
    from parley.server.render import persona_text

    everyone = persona_catalogue.list_personas(settings(ctx))
    persona_text.show_roster(everyone, json)


@app.command()
def show(
    ctx: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE",
            help="a file has a slash, or ends .md",
            autocompletion=completions.complete_personas,
        ),
    ],
    raw: Annotated[
        bool, typer.Option("--raw", help="as a file to the letter, to begin one's own with")
    ] = False,
    json: Json = False,
) -> None:
    """A persona as its file says it."""
    from parley.server.catalogue import persona_catalogue
    from parley.server.render import persona_text

    persona_text.show_persona(
        persona_catalogue.find_persona(settings(ctx), name), raw=raw, json=json
    )


@app.command()
def check(files: Files, json: Json = False) -> None:
    """Say what is wrong or odd about persona files. Exit 1 where one is refused."""
    from parley.server.catalogue import persona_catalogue
    from parley.server.render import persona_text

    persona_checks = persona_catalogue.check_personas(files)
    persona_text.show_checks(persona_checks, json)
    if any(row.refused for row in persona_checks):
        raise typer.Exit(1)


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="where it goes, such as pilot.md")],
    force: Annotated[bool, typer.Option("--force", help="write over a file that is there")] = False,
    json: Json = False,
) -> None:
    """Write a persona to begin with. It can be seated as it is."""
    from parley.server.catalogue.new_files import write_persona
    from parley.server.render import command_output

    command_output.show_value({"file": str(write_persona(file, force=force))}, "file", json)


@app.command("import")
def import_(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="CrewAI's agents.yaml, JSON, or a Markdown agent"),
    ],
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="where the persona files go")],
    force: Annotated[bool, typer.Option("--force", help="write over files that are there")] = False,
    json: Json = False,
) -> None:
    """Make persona files of agents of other tools. Tells what became of each key."""
    from parley.server.catalogue import persona_catalogue
    from parley.server.render import persona_text

    persona_text.show_import(persona_catalogue.import_personas(file, to, force=force), to, json)
