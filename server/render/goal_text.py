"""Goals, tasks and other episodes in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from parley.server.basics.output import count_of, print_json, print_notice, show_rows

Row = Mapping[str, Any]


def show_episodes(found: Sequence[Row], json: bool) -> None:
    """Goals and what stands in them, indented."""
    none = "no goals; 'parley goal open SESSION TEXT' opens one"
    show_rows(found, goal_line, none, json=json)


def show_closed(found: Row, json: bool) -> None:
    """How an episode ended."""
    if json:
        print_json(found)
    else:
        print_notice(f"{found['ref']} {found['kind']} is {found['status']}: {found['title']}")


def goal_line(found: Row) -> str:
    """A row in words, indented by its depth."""
    parts = [f"{'  ' * found.get('depth', 0)}{found['ref']} {found['kind']} {found['title']}"]
    waits = f", waits for {', '.join(found['after'])}" if found["after"] else ""
    parts.append(f"[{found['status']}{waits}]")
    if found["tally"]:
        parts += _counts(found["tally"])
    if found["result"]:
        parts.append(found["result"])
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
