"""Work to measure on: goals with their tools, tasks and steps, the same on every machine."""

from __future__ import annotations

import random
from typing import Any, Final

from parley.bus.entries import Entry, EpisodeClosed, EpisodeOpened, Step, ToolReturned

_WHO: Final = "analyst"
_TOOLS: Final = (
    "load_building_data", "get_all_elements", "query_elements", "calculate_distances",
    "find_rules", "render_view", "lookup_standard", "export_report",
)  # fmt: skip
_ERRORS: Final = ("FileNotFoundError", "ValidationError", "TimeoutError", "PermissionError")
_VERBS: Final = ("Count", "Check", "Measure", "Compare", "List", "Locate")
_THINGS: Final = ("doors", "fire exits", "windows", "stairs", "corridors", "ramps", "lifts")
# The documents' example: fifty runs, three of which failed.
EXAMPLE: Final = {
    "load_building_data": 5, "get_all_elements": 15, "query_elements": 20,
    "calculate_distances": 10,
}  # fmt: skip
EXAMPLE_ERRORS: Final = {7: "FileNotFoundError", 23: "FileNotFoundError", 41: "ValidationError"}


def example() -> list[Entry]:
    """The goal of the documents' example, opened, worked on and closed."""
    draw = random.Random(94)
    tools = [tool for tool, count in EXAMPLE.items() for _ in range(count)]
    runs = [
        _run(draw, tool, place, EXAMPLE_ERRORS.get(place), place * 110)
        for place, tool in enumerate(tools)
    ]
    return [_opened("goal", "Count doors in building"), *runs, _closed("goal", "completed", draw)]


def goals(count: int, seed: int = 3) -> list[list[Entry]]:
    """So many goals, each opened, worked on for 20 to 90 operations, and closed."""
    draw = random.Random(seed)
    return [_goal(draw, number) for number in range(count)]


def dumped(entry: Any) -> str:
    """An operation as the documents hold and measure it: a record with everything in it."""
    when = entry.at
    if entry.kind == "tool.returned":
        return str(
            {
                "id": entry.call_id,
                "goal_id": "4f7d5a0e-6d1b-4f5e-9a53-0c8a3f3f7f10",
                "tool_name": entry.tool,
                "arguments": entry.arguments,
                "result_summary": entry.content[:200] if entry.ok else None,
                "execution_time": when,
                "success": entry.ok,
                "error_message": None if entry.ok else f"{entry.error}: {entry.content[:200]}",
            }
        )
    return str(
        {
            "id": "0b1f9a8e-2f0c-4d0b-8a43-b6c1a3f6d6c2",
            "step_type": entry.form,
            "description": entry.content,
            "success": entry.ok,
            "discovered_context": entry.discovered,
            "execution_time": when,
            "confidence": entry.confidence,
        }
    )


def _goal(draw: random.Random, number: int) -> list[Entry]:
    thing = draw.choice(_THINGS)
    made: list[Entry] = [_opened("goal", f"{draw.choice(_VERBS)} {thing} of building {number}")]
    second = 0
    for place in range(draw.randint(2, 8)):
        made.append(_opened("task", f"{draw.choice(_VERBS)} {thing} on floor {place}"))
        for _ in range(draw.randint(5, 12)):
            second += draw.randint(1, 90)
            failed = draw.choice(_ERRORS) if draw.random() < 0.07 else None
            if draw.random() < 0.2:
                made.append(_step(draw, thing, place, second))
            else:
                made.append(_run(draw, draw.choice(_TOOLS), second, failed, second))
        made.append(_closed("task", "failed" if draw.random() < 0.1 else "completed", draw))
    made.append(_closed("goal", "failed" if draw.random() < 0.05 else "completed", draw))
    return made


def _run(
    draw: random.Random, tool: str, place: int, error: str | None, second: int
) -> ToolReturned:
    """A run with a result of 60 to 600 characters."""
    ids = ", ".join(f"{draw.choice('dwsx')}{draw.randrange(10_000)}" for _ in range(20))
    content = f"found {draw.randrange(90)} elements: {ids}"[: draw.randint(60, 600)]
    return ToolReturned(
        participant=_WHO, tool=tool, call_id=f"call-{place}",
        arguments={"floor": draw.randrange(9), "kind": draw.choice(_THINGS), "limit": 100},
        content="no such file: model.ifc" if error else content,
        ok=error is None, error=error, at=_at(second),
    )  # fmt: skip


def _step(draw: random.Random, thing: str, place: int, second: int) -> Step:
    discovered = (
        {f"{thing} on floor {place}": str(draw.randrange(40))} if draw.random() < 0.4 else {}
    )
    return Step(
        participant=_WHO, form=draw.choice(("reasoning", "validation", "replanning")),
        content=f"The {thing} of floor {place} do not add up, so look at the plan again first.",
        discovered=discovered, at=_at(second),
    )  # fmt: skip


def _opened(kind: Any, title: str) -> EpisodeOpened:
    return EpisodeOpened(participant=_WHO, episode=kind, title=title)


def _closed(kind: Any, status: Any, draw: random.Random) -> EpisodeClosed:
    result = f"{draw.randrange(99)} were found, {draw.randrange(9)} of them too narrow."
    return EpisodeClosed(participant=_WHO, episode=kind, status=status, result=result)


def _at(second: int) -> str:
    return f"2026-01-05T{10 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"
