"""Goals, tasks and other episodes in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from parley.server.basics.output import count_of, print_json, print_notice, show_rows

Row = Mapping[str, Any]


def show_episodes(rows: Sequence[Row], json: bool) -> None:
    """Goals and what stands in them, indented."""
    none = "no goals; 'parley goal open SESSION TEXT' opens one"
    show_rows(rows, _goal_line, none, json=json)


def show_closed(row: Row, json: bool) -> None:
    """How an episode ended."""
    if json:
        print_json(row)
    else:
        print_notice(f"{row['ref']} {row['kind']} is {row['status']}: {row['title']}")


def _goal_line(row: Row) -> str:
    """A row in words, indented by its depth."""
    parts = [f"{'  ' * row.get('depth', 0)}{row['ref']} {row['kind']} {row['title']}"]
    waits = f", waits for {', '.join(row['after'])}" if row["after"] else ""
    parts.append(f"[{row['status']}{waits}]")
    if row["tally"]:
        parts += _counts(row["tally"])
    if row["result"]:
        parts.append(row["result"])
    return "  ".join(parts)


def _counts(tally: Row) -> Iterator[str]:
    if tally["runs"]:
        yield f"{count_of(tally['runs'], 'run')}, {tally['success_rate_permille'] / 10:g} % ok"
    if tally["errors"]:
        yield "errors: " + ", ".join(f"{k} {v}" for k, v in tally["errors"].items())
    if tally["tasks"]:
        yield "tasks: " + ", ".join(f"{v} {k}" for k, v in tally["tasks"].items())
    if tally["steps"]:
        yield count_of(tally["steps"], "step")
