"""The list of sessions, for a terminal or as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from parley.server.basics.output import print_json, print_line, print_table

_NO_WORKER: Final = (
    "no worker runs; 'parley worker' starts one. What is not folded yet is folded when it is "
    "looked at, and loses nothing"
)


def show_sessions(rows: Sequence[Mapping[str, Any]], json: bool, *, worked: bool = True) -> None:
    """One session a line; where no worker folds them (`worked`), what that means."""
    if json:
        for row in rows:
            print_json(row)
        return
    if not rows:
        print_line("no sessions; 'parley session new NAME' opens one")
        return
    lines = []
    for row in rows:
        when = datetime.fromtimestamp(row["last_activity_ms"] / 1000).astimezone()
        cells = (row["session"], row["status"], row["n"], f"{when:%Y-%m-%d %H:%M}", row["head"])
        lines.append((*cells, row["head"] - row["folded"]))
    columns = ("session", "status", "last message", "last active", "entries", "not folded yet")
    print_table(columns, lines)
    if not worked:
        print_line(_NO_WORKER)
