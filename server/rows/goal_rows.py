"""Goals, tasks and other episodes as rows: for JSON, minutes, a terminal, the page. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from parley.memory.goals import tallies
from parley.memory.state.episode_state import Episode
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip
from parley.server.rows.cite_rows import Row, handle_of, pick

RESULT: Final = 240  # characters of what one came to, on the page
_WORKED_ON: Final = ("open", "ready", "blocked")


def goal_rows(memory: Memory) -> Iterator[Row]:
    """The rows of the tree, each with its `depth` in it. Pure."""
    episodes = {
        ref: episode for ref, episode in memory.episodes.by_ref.items() if episode.talk is None
    }
    below: dict[int | None, list[Episode]] = {}
    for episode in episodes.values():
        below.setdefault(episode.parent if episode.parent in episodes else None, []).append(episode)
    waiting = [(episode, 0) for episode in reversed(below.get(None, []))]
    while waiting:
        episode, depth = waiting.pop()
        yield {**goal_row(memory, episode), "depth": depth}
        waiting += [(inner, depth + 1) for inner in reversed(below.get(episode.ref, []))]


def goal_row(memory: Memory, episode: Episode) -> Row:
    """An episode as JSON; `status` of an open task is ready or blocked."""
    status: str = episode.status
    if episode.kind == "task" and status == "open":
        status = "blocked" if episode.after else "ready"
    work = episode.work
    return {
        "ref": episode.handle,
        "kind": episode.kind,
        "title": episode.title,
        "participant": memory.named(episode.participant),
        "status": status,
        "parent": handle_of("E", episode.parent),
        "after": [f"E{ref}" for ref in episode.after],
        "opened_n": episode.opened,
        "opened_at": episode.opened_at,
        "closed_n": episode.closed,
        "closed_at": episode.closed_at,
        "result": episode.result,
        "tally": None if work is None else tallies.tally_row(work.tally),
        "context": work.context.split("\n") if work is not None and work.context else [],
    }


def evicted_goal_row(episode: Episode, status: str) -> Row:
    """What is told of an episode that memory let go of once it was closed."""
    return {"ref": episode.handle, "kind": episode.kind, "title": episode.title, "status": status}


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
    tally = row["tally"] or {"steps": 0, "tasks": {}}
    return {
        **pick(row, "ref", "kind", "title", "status", "participant", "depth"),
        "n": row["opened_n"],
        "closed_n": row["closed_n"],
        "result": clip(row["result"], RESULT),
        "steps": tally["steps"],
        "ended": tally["tasks"],
    }
