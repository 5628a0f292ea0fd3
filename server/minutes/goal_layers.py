"""What the minutes tell of a session that works toward goals. Pure."""

from __future__ import annotations

from parley.memory.goals.insights import list_insights
from parley.memory.state.memory import Memory
from parley.server.rows.cite_rows import Row, pick
from parley.server.rows.goal_rows import goal_rows


def goal_rows_of_minutes(memory: Memory) -> list[Row]:
    """The goals and tasks, what holds one before it, with what they came to."""
    names = (
        "ref", "kind", "title", "participant", "status", "opened_n", "closed_n", "result", "depth"
    )  # fmt: skip
    return [pick(row, *names) for row in goal_rows(memory) if row["kind"] in ("goal", "task")]


def insight_rows(memory: Memory) -> list[Row]:
    """What the work taught, the weightiest first."""
    return [
        {
            "ref": insight.handle,
            "kind": insight.kind,
            "text": insight.text,
            "count": insight.count,
            "cites": [cite.n for cite in insight.cites],
        }
        for insight in list_insights(memory)
    ]
