"""The tree of commands, and the settings they all see."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any, Final

import typer

from parley.server.basics.log_setup import configure_logging
from parley.server.cli.shared.command_table import CommandTable
from parley.server.cli.shared.help_pages import Sections
from parley.server.cli.shared.options import SOURCES, settings
from parley.server.cli.shared.plain_values import HELP, read_plainly
from parley.server.cli.shared.setting_flags import list_shown_secrets, with_settings
from parley.server.settings.setting import Setting
from parley.server.settings.setting_sources import read_sources
from parley.server.settings.startup_settings import read_startup

_FAMILIES: Final = {  # of commands, by the module that is imported when one of them is called
    "operations.demo_command": ("demo",),
    "operations.run_commands": ("run", "host"),
    "operations.analysis_commands": ("analyze", "replay"),
    "operations.transcript_commands": ("transcript",),
    "sessions.talk_commands": ("say", "publish", "watch", "search", "correct", "alias"),
    "sessions.floor_commands": ("join", "floor"),
    "sessions.goal_commands": ("step", "goal", "task", "episode"),
    "sessions.query_commands": ("memory", "context", "explain", "stats"),
    "sessions.settings_commands": ("settings",),
    "sessions.redaction_commands": ("redact",),
    "operations.status_commands": ("worker", "status", "doctor"),
    "operations.backup_commands": ("backup", "restore", "archive"),
    "operations.quota_commands": ("quota",),
    "operations.serve_commands": ("serve", "token", "revoke", "mcp", "schema"),
    "operations.minutes_commands": ("minutes",),
    "operations.brief_commands": ("brief",),
    "operations.scenario_commands": ("scenario",),
    "sessions.session_commands": ("session",),
    "sessions.lesson_commands": ("lessons",),
    "sessions.note_commands": ("note",),
    "sessions.tool_commands": ("tool",),
    "sessions.vote_commands": ("vote",),
    "operations.persona_commands": ("persona",),
    "operations.pattern_commands": ("patterns",),
}

app = typer.Typer(
    cls=Sections,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Deliberations kept whole: what was proposed, who stood where, what was decided and why.",
    context_settings={"help_option_names": list(HELP)},
)


@app.callback()
@with_settings
def parley(ctx: typer.Context, config: Path | None, given: dict[str, Any]) -> None:
    sources = read_sources(given, os.environ, config)
    ctx.meta[SOURCES] = sources
    traced = "telemetry.url" in sources.values  # by what only the tree has
    ctx.obj = (None if traced else read_startup(sources)) or settings(ctx)
    configure_logging(ctx.obj.log_level, ctx.obj.log_json)
    warnings = [*sources.warnings, *map(_shown_to_all, list_shown_secrets(given))]
    if warnings:
        from parley.server.basics.output import print_notice
    for warning in warnings:
        print_notice(f"warning: {warning}")


def _shown_to_all(setting: Setting) -> str:
    instead = f"set {setting.variable}, or {setting.name} in a settings file"
    return f"{setting.flag} shows a secret to everybody who may list processes here: {instead}"


@cache
def command() -> Any:
    """The tree as it is run; typer would make all of it anew for each call in a process."""
    root: Any = typer.main.get_command(app)
    read_plainly(root)
    root.commands = CommandTable(__package__, _FAMILIES)
    return root
