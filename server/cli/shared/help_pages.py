"""What `parley --help` shows: commands by what they are for, and not all of the settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from typer.core import TyperCommand

from parley.server.cli.shared.setting_flags import PANEL, FlagsAnywhere
from parley.server.settings.setting_table import SETTINGS

SECTIONS: Final = {  # of the help: what commands are for
    "Records of talk": ("demo", "analyze", "minutes", "replay", "transcript"),
    "Agents": ("run", "scenario", "persona"),
    "Sessions": ("session", "settings", "redact", "patterns"),
    "Taking part": ("say", "join", "watch", "vote", "floor", "publish", "correct", "alias"),
    "What it came to": ("brief", "memory", "explain", "context", "search", "stats", "lessons"),
    "Work": ("goal", "task", "step", "episode", "note", "tool"),
    "Serving": ("serve", "token", "revoke", "mcp", "schema"),
    "Running": ("worker", "status", "doctor", "backup", "restore", "archive", "quota"),
}


class Sections(FlagsAnywhere):
    """All commands under headings, and the settings of every process."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)  # the names; the commands of many are not made for it

    def format_options(self, ctx: Any, formatter: Any) -> None:
        width = max(map(len, self.commands))
        room = formatter.width - width - 6
        for heading, names in SECTIONS.items():
            rows = [(name, self.commands[name].get_short_help_str(room)) for name in names]
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), summary) for name, summary in rows])
        flags = {setting.flag for setting in SETTINGS.values()}
        everywhere = {s.flag for s in SETTINGS.values() if len(s.path) == 1} | {"--config"}
        with formatter.section("Options"):
            formatter.write_dl(_rows(ctx, lambda flag: flag not in flags and flag != "--config"))
        with formatter.section(PANEL):
            formatter.write_dl(_rows(ctx, everywhere.__contains__))
            formatter.write_text("")
            formatter.write_text("Those of sessions and of servers: 'parley settings --help'")


def listing(prefix: str = "") -> type[TyperCommand]:
    """A command whose help ends with the settings of which the flag begins so."""

    class Listing(TyperCommand):
        def format_options(self, ctx: Any, formatter: Any) -> None:
            super().format_options(ctx, formatter)
            own = {s.flag for s in SETTINGS.values() if s.flag.startswith(f"--{prefix}")}
            with formatter.section(PANEL):
                formatter.write_dl(_rows(ctx.find_root(), own.__contains__))

    return Listing


def _rows(root: Any, wanted: Callable[[str], bool]) -> list[tuple[str, str]]:
    """Help on those options of `parley` itself."""
    options = (param for param in root.command.get_params(root) if wanted(param.opts[0]))
    return [record for option in options if (record := option.get_help_record(root)) is not None]
