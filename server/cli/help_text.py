"""What `parley --help` shows, from `data/help.txt`: nothing is imported to show it.

A test holds the file to the commands; `python -m parley.server.cli.help_text` writes it anew.
"""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Final

TEXT: Final = Path(__file__).parents[1] / "data" / "help.txt"
_COLUMNS: Final = 80  # that it is written for; typer lays out no wider


def ready_help(args: Sequence[str]) -> str | None:
    """The help that `args` ask for where it is at hand: that of `parley` itself, in full width."""
    if list(args) in (["--help"], ["-h"]) and shutil.get_terminal_size().columns >= _COLUMNS:
        return TEXT.read_text("utf-8")
    return None


def render_help() -> str:
    """The text of `data/help.txt`, made from the commands, as wide as the terminal allows."""
    from parley.server.cli.command_tree import command

    shown = io.StringIO()
    with redirect_stdout(shown), suppress(SystemExit):
        command()(args=["--help"], prog_name="parley")
    return shown.getvalue()


if __name__ == "__main__":
    TEXT.write_text(render_help(), "utf-8")
    sys.stdout.write(f"{TEXT} is written\n")
