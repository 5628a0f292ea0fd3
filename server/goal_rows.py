"""What the page shows of goals, tasks and other episodes. Pure."""

from __future__ import annotations

from typing import Any, Final

from memory.state import Memory
from memory.text import clip
from server.goals import rows

RESULT: Final = 240  # characters of what one came to
_WORKED_ON: Final = ("open", "ready", "blocked")

Row = dict[str, Any]


def work(memory: Memory) -> list[Row]:
    """Goals, tasks and other episodes: what holds one before it, trees with open work first."""
    trees: list[list[Row]] = []
    for row in rows(memory):
        if not row["depth"]:
            trees.append([])
        trees[-1].append(_episode(row))
    trees.sort(key=lambda tree: (not _goes_on(tree), -tree[0]["n"]))
    return [row for tree in trees for row in tree]


def _goes_on(tree: list[Row]) -> bool:
    return any(row["status"] in _WORKED_ON for row in tree)


def _episode(row: Row) -> Row:
    told = {name: row[name] for name in ("ref", "kind", "title", "status", "participant", "depth")}
    tally = row["tally"] or {"steps": 0, "tasks": {}}
    return {
        **told,
        "n": row["opened_n"],
        "closed_n": row["closed_n"],
        "result": clip(row["result"], RESULT),
        "steps": tally["steps"],
        "ended": tally["tasks"],
    }
