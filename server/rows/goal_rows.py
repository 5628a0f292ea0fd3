"""Goals, tasks and other episodes as rows: for JSON, minutes, a terminal, the page. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from parley.memory.goals import tallies
from parley.memory.state.episode_state import Episode
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip

RESULT: Final = 240  # characters of what one came to, on the page
_WORKED_ON: Final = ("open", "ready", "blocked")

Row = dict[str, Any]


def goal_rows(memory: Memory) -> Iterator[Row]:
    """The rows of the tree, each with its `depth` in it. Pure."""
    held = {ref: one for ref, one in memory.episodes.held.items() if one.talk is None}
    below: dict[int | None, list[Episode]] = {}
    for one in held.values():
        below.setdefault(one.parent if one.parent in held else None, []).append(one)
    waiting = [(one, 0) for one in reversed(below.get(None, []))]
    while waiting:
        one, depth = waiting.pop()
        yield {**goal_row(memory, one), "depth": depth}
        waiting += [(inner, depth + 1) for inner in reversed(below.get(one.ref, []))]


def goal_row(memory: Memory, one: Episode) -> Row:
    """An episode as JSON; `status` of an open task is ready or blocked."""
    status: str = one.status
    if one.kind == "task" and status == "open":
        status = "blocked" if one.after else "ready"
    work = one.work
    return {
        "ref": one.handle,
        "kind": one.kind,
        "title": one.title,
        "participant": memory.named(one.participant),
        "status": status,
        "parent": None if one.parent is None else f"E{one.parent}",
        "after": [f"E{ref}" for ref in one.after],
        "opened_n": one.opened,
        "opened_at": one.opened_at,
        "closed_n": one.closed,
        "closed_at": one.closed_at,
        "result": one.result,
        "tally": None if work is None else tallies.tally_row(work.tally),
        "context": work.context.split("\n") if work is not None and work.context else [],
    }


def evicted_goal_row(one: Episode, status: str) -> Row:
    """What is told of an episode that memory let go of once it was closed."""
    return {"ref": one.handle, "kind": one.kind, "title": one.title, "status": status}


def page_goal_rows(memory: Memory) -> list[Row]:
    """Goals, tasks and other episodes: what holds one before it, trees with open work first."""
    trees: list[list[Row]] = []
    for row in goal_rows(memory):
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
