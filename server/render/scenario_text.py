"""Scenarios on the terminal: lists, one scenario, what a check found."""

from __future__ import annotations

import json as json_text
from collections.abc import Mapping, Sequence
from typing import Any

from parley.server.basics.output import escape, new_table, print_json, stdout, table_cell

Row = dict[str, Any]


def show_listed(rows: Sequence[Row], json: bool) -> None:
    if json:
        for row in rows:
            print_json(row)
        return
    table = new_table("scenario", "participants", "floor", "title")
    for row in rows:
        table.add_row(
            *map(table_cell, (row["scenario"], row["participants"], row["policy"], row["title"]))
        )
    stdout().print(table)


def show_scenario(row: Row, json: bool) -> None:
    if json:
        print_json(row)
        return
    console = stdout()
    console.print(table_cell(row["title"]))
    if row["goal"]:
        console.print(table_cell(row["goal"].strip()))
    table = new_table("name", "persona", "model", "lines", "speaks when")
    for participant in row["participants"]:
        cells = (
            participant["name"],
            participant["persona"],
            participant["model"],
            participant["lines"],
            participant["description"],
        )
        table.add_row(*map(table_cell, cells))
    console.print(table)
    if row["people"]:
        console.print(table_cell(f"people: {', '.join(row['people'])}"))
    for key in ("floor", "vote", "stop", "budget"):
        console.print(table_cell(f"{key}: {_flat(row[key])}"))
    console.print(table_cell(row["bound"]))


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        fields = {key: field for key, field in value.items() if field not in (None, "")}
        return json_text.dumps(fields) if fields else "none"
    return str(value)


def show_checked(rows: Sequence[Row], json: bool) -> None:
    for row in rows:
        if json:
            print_json(row)
        elif row["refused"]:
            stdout().print(escape(row["refused"]), markup=False)
        else:
            stdout().print(escape(f"{row['scenario']}: sound; {row['bound']}"), markup=False)
