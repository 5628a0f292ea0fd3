"""`parley patterns …`: the packs that say which words make which act, and checks of your own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parley.server.cli.shared.command_names import Family
from parley.server.cli.shared.options import Json

app = typer.Typer(
    cls=Family,
    help="List, show and check pattern packs; --packs uses yours.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def add_to(root: typer.Typer) -> None:
    root.add_typer(app, name="patterns")


Pack = Annotated[str, typer.Argument(metavar="PACK", help="a JSON file, or a shipped pack's name")]


@app.command()
def ls(json: Json = False) -> None:
    """List the packs that come with Parley."""
    from parley.server.catalogue import pattern_catalogue
    from parley.server.render import pattern_text

    pattern_text.show_listed(pattern_catalogue.list_packs(), json)


@app.command()
def show(pack: Pack, json: Json = False) -> None:
    """A pack's rules and guards."""
    from parley.server.catalogue import pattern_catalogue
    from parley.server.render import pattern_text

    pattern_text.show_pack(pattern_catalogue.describe_pack(pack), json)


@app.command()
def check(
    pack: Pack,
    over: Annotated[
        Path | None,
        typer.Option(metavar="TRANSCRIPT", help="show what it would read in this file; - is stdin"),
    ] = None,
    json: Json = False,
) -> None:
    """Check a pack whole: every problem, doubtful rules, examples. Exit code 1 where it fails."""
    from parley.server.catalogue import pattern_catalogue
    from parley.server.render import pattern_text

    row = pattern_catalogue.check_pack(pack, over)
    pattern_text.show_checked(row, json)
    if not row["sound"]:
        raise SystemExit(1)
