"""The tree of commands, and the settings they all see as `ctx.obj`."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import typer

from parley.server.basics.log_setup import configure_logging
from parley.server.cli.operations import (
    analysis_commands,
    demo_command,
    minutes_commands,
    pattern_commands,
    persona_commands,
    run_commands,
    scenario_commands,
    serve_commands,
    status_commands,
    transcript_commands,
)
from parley.server.cli.sessions import (
    floor_commands,
    goal_commands,
    lesson_commands,
    note_commands,
    query_commands,
    redaction_commands,
    session_commands,
    settings_commands,
    talk_commands,
    tool_commands,
    vote_commands,
)
from parley.server.cli.shared.help_pages import Sections
from parley.server.cli.shared.options import SOURCES
from parley.server.cli.shared.setting_flags import with_settings
from parley.server.settings import build_settings, read_sources

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
    sources = read_sources(given, os.environ, config)
    settings = build_settings(sources)
    configure_logging(settings.log_level, settings.log_json)
    if sources.warnings:
        from parley.server.basics.output import print_notice
    for warning in sources.warnings:
        print_notice(f"warning: {warning}")
    ctx.obj = settings
    ctx.meta[SOURCES] = sources


for family in (
    demo_command,
    run_commands,
    analysis_commands,
    transcript_commands,
    talk_commands,
    floor_commands,
    goal_commands,
    query_commands,
    settings_commands,
    redaction_commands,
    status_commands,
    serve_commands,
    minutes_commands,
):
    family.add_to(app)
app.add_typer(scenario_commands.app, name="scenario")
app.add_typer(session_commands.app, name="session")
app.add_typer(floor_commands.app, name="floor")
app.add_typer(lesson_commands.app, name="lessons")
app.add_typer(note_commands.app, name="note")
app.add_typer(tool_commands.app, name="tool")
app.add_typer(vote_commands.app, name="vote")
app.add_typer(persona_commands.app, name="persona")
app.add_typer(pattern_commands.app, name="patterns")


@cache
def command() -> Any:
    """The tree as it is run; typer would make all of it anew for each call in a process."""
    return typer.main.get_command(app)
