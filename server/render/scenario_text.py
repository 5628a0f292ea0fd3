"""Scenarios on the terminal: lists, one scenario, what a check found."""

from __future__ import annotations

import json as json_text
from collections.abc import Mapping, Sequence
from typing import Any

from parley.server.basics.output import cell, emit, listing, shown, stdout

Row = dict[str, Any]


def show_listed(rows: Sequence[Row], json: bool) -> None:
    if json:
        for row in rows:
            emit(row)
        return
    table = listing("scenario", "participants", "floor", "title")
    for row in rows:
        table.add_row(
            *map(cell, (row["scenario"], row["participants"], row["policy"], row["title"]))
        )
    stdout().print(table)


def show_one(row: Row, json: bool) -> None:
    if json:
        emit(row)
        return
    console = stdout()
    console.print(cell(row["title"]))
    if row["goal"]:
        console.print(cell(row["goal"].strip()))
    table = listing("name", "persona", "model", "lines", "speaks when")
    for one in row["participants"]:
        cells = (one["name"], one["persona"], one["model"], one["lines"], one["description"])
        table.add_row(*map(cell, cells))
    console.print(table)
    if row["people"]:
        console.print(cell(f"people: {', '.join(row['people'])}"))
    for key in ("floor", "vote", "stop", "budget"):
        console.print(cell(f"{key}: {_flat(row[key])}"))
    console.print(cell(row["bound"]))


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        said = {key: one for key, one in value.items() if one not in (None, "")}
        return json_text.dumps(said) if said else "none"
    return str(value)


def show_checked(rows: Sequence[Row], json: bool) -> None:
    for row in rows:
        if json:
            emit(row)
        elif row["refused"]:
            stdout().print(shown(row["refused"]), markup=False)
        else:
            stdout().print(shown(f"{row['scenario']}: sound; {row['bound']}"), markup=False)
