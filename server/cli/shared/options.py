"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from parley.server.cli.shared import completions

if TYPE_CHECKING:
    from parley.server.settings import Settings
    from parley.server.settings.setting_sources import Sources
    from parley.server.settings.startup_settings import StartupSettings

SOURCES: Final = "parley.sources"  # where a call keeps what was set, and where
_TREE: Final = "parley.settings"  # and the settings that come of it, once something needs them

Session = Annotated[
    str,
    typer.Argument(
        metavar="SESSION", help="name of the session", autocompletion=completions.complete_sessions
    ),
]
Json = Annotated[bool, typer.Option("--json", help="print JSON")]
Transcript = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="a record of talk ('parley transcript'); - reads stdin"),
]
InputFormat = Annotated[
    str | None,
    typer.Option(
        "--input-format",
        metavar="NAME",
        help="its format ('parley transcript --list')",
    ),
]
Speakers = Annotated[
    list[str] | None,
    typer.Option(
        "--speaker",
        metavar="NAME",
        help="who speaks, again for each: no other name is read from the text of a record",
    ),
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="report bad lines on stderr and go on without them")
]
As = Annotated[str | None, typer.Option("--as", metavar="NAME", help="in whose name")]
Brief = Annotated[bool, typer.Option("--brief", help="decisions, open proposals, 5 recent")]
Parts = Annotated[
    list[str] | None,
    typer.Option(
        "--part",
        metavar="PART",
        help="ledger, summary, recent or own; may be repeated  [default: all]",
    ),
]
Budget = Annotated[
    int | None,
    typer.Option(
        "--budget", min=1, metavar="TOKENS", help="tokens it may have  [default: the session's]"
    ),
]
At = Annotated[
    int | None, typer.Option("--at", min=0, metavar="N", help="as it was after message N")
]
Layer = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="one of conversation, session, execution, notebooks, history, exchanges, tools, "
        "episodes, insights, lessons, ledger",
    ),
]


def settings(ctx: typer.Context) -> Settings:
    """The settings in force for this call."""
    if _TREE not in ctx.meta:
        from parley.server.settings import build_settings

        ctx.meta[_TREE] = build_settings(sources(ctx))
    tree: Settings = ctx.meta[_TREE]
    return tree


def startup(ctx: typer.Context) -> StartupSettings | Settings:
    """The settings of this call that a connection to Redis takes."""
    known: StartupSettings | Settings = ctx.obj
    return known


def sources(ctx: typer.Context) -> Sources:
    """What was set for this call, and where."""
    sources: Sources = ctx.meta[SOURCES]
    return sources
