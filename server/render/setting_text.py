"""Settings, presets and advice in words, or as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import orjson
from rich.console import Console
from rich.text import Text

from parley.memory.statistics.advice import Advice
from parley.server.basics.output import (
    escape,
    new_table,
    print_json,
    print_notice,
    show_rows,
    stdout,
    table_cell,
)
from parley.server.settings.setting_inventory import Row


def show_settings(rows: Sequence[Row], changed: bool, json: bool) -> None:
    """One setting a line; with `changed`, those alone that are not as usual."""
    shown = [row for row in rows if row.changed or not changed]
    if json:
        for row in shown:
            print_json(asdict(row))
        return
    table = new_table("setting", "value", "from", "otherwise")
    for row in shown:
        otherwise = _worded(row.usual) if row.changed else ""
        style = "bold" if row.changed else ""
        table.add_row(
            Text(escape(row.key), style),
            *map(table_cell, (_worded(row.value), row.source, otherwise)),
        )
    stdout().print(table if shown else "nothing is set otherwise")


def show_presets(presets: Sequence[Mapping[str, Any]], json: bool) -> None:
    """Each preset, and what it sets."""
    if json:
        for row in presets:
            print_json(row)
        return
    console = stdout()
    for row in presets:
        console.print(Text(row["preset"], style="bold"))
        _pairs(console, row["sets"] or {"the defaults": "as they are"})


def show_advice(advice: Sequence[Advice], json: bool) -> None:
    """What to set, and why."""
    show_rows(
        list(map(asdict, advice)),
        lambda row: f"{row['key']}={row['suggested']} (now {row['now']}): {row['because']}",
        "nothing measured calls for other limits",
        json=json,
    )


def show_applied(session: str, advice: Sequence[Advice]) -> None:
    """Say that a change of settings is in force."""
    changes = ", ".join(f"{change.key}={change.suggested}" for change in advice)
    print_notice(f"{session} goes by {changes} from now")


def _pairs(console: Console, pairs: Mapping[str, Any]) -> None:
    for name, value in pairs.items():
        console.print(table_cell(f"  {name}: {_worded(value)}"))


def _worded(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return orjson.dumps(value).decode() if value else ""
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
