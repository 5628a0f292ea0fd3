"""The tree of commands, and the settings they all see as `ctx.obj`."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import typer

from server.commands import (
    analysis,
    asking,
    demo,
    floor,
    goal,
    lessons,
    minutes,
    note,
    operations,
    patterns,
    persona,
    redaction,
    rules,
    run,
    scenario,
    serve,
    sessions,
    talk,
    tool,
    transcript,
    vote,
)
from server.commands.helping import Sections
from server.commands.options import SOURCES
from server.logs import configure
from server.settings import built, gathered
from server.settings.flags import with_settings

app = typer.Typer(
    cls=Sections,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Deliberations kept whole: what was proposed, who stood where, what was decided and why.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
@with_settings
def parley(ctx: typer.Context, config: Path | None, given: dict[str, Any]) -> None:
    sources = gathered(given, os.environ, config)
    settings = built(sources)
    configure(settings.log_level, settings.log_json)
    if sources.warnings:
        from server.output import tell
    for warning in sources.warnings:
        tell(f"warning: {warning}")
    ctx.obj = settings
    ctx.meta[SOURCES] = sources


for family in (
    demo,
    run,
    analysis,
    transcript,
    talk,
    floor,
    goal,
    asking,
    rules,
    redaction,
    operations,
    serve,
    minutes,
):
    family.add_to(app)
app.add_typer(scenario.app, name="scenario")
app.add_typer(sessions.app, name="session")
app.add_typer(floor.app, name="floor")
app.add_typer(lessons.app, name="lessons")
app.add_typer(note.app, name="note")
app.add_typer(tool.app, name="tool")
app.add_typer(vote.app, name="vote")
app.add_typer(persona.app, name="persona")
app.add_typer(patterns.app, name="patterns")


@cache
def command() -> Any:
    """The tree as it is run; typer would make all of it anew for each call in a process."""
    return typer.main.get_command(app)
