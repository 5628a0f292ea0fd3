"""Counting work as it happens: the statistical summary of a goal or task. Integers only."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from parley.memory.state.episode_state import Episode, TaskStep, ToolRun, WorkTally
from parley.memory.text.plain_text import clip, one_line
from parley.memory.text.similarity import content_words

NAMES: Final = 50  # of a kind counted one by one; the others are one
OTHER: Final = "other"
_NAME_CHARS: Final = 80
_THEME_WORDS: Final = 2


def clip_name(text: str) -> str:
    """`text` as a name that is counted: one line, at most 80 characters."""
    return clip(one_line(text), _NAME_CHARS) or OTHER


def count_run(tally: WorkTally, run: ToolRun, error: str, at: str | None) -> None:
    """Count a tool run; `error` is the kind of failure where it failed."""
    tally.runs += 1
    tally.was += run.size
    _add(tally.tools, run.tool)
    if run.ok:
        tally.ok += 1
    else:
        _add(tally.errors, error)
    _seen(tally, run.n, at)


def count_step(tally: WorkTally, step: TaskStep, at: str | None) -> None:
    """Count a step; its size is in tokens."""
    tally.steps += 1
    tally.steps_ok += step.ok
    tally.was += step.size
    _seen(tally, step.n, at)


def count_task(tally: WorkTally, closed: Episode, size: int) -> None:
    """Count a closed task by how it ended and by its theme; `size` is that of its row."""
    _add(tally.tasks, closed.status)
    _add(tally.themes, title_theme(closed.title))
    tally.was += size
    _seen(tally, closed.closed or closed.opened, closed.closed_at)


def success_rate_permille(tally: WorkTally) -> int | None:
    """How many of 1,000 tool runs went well; None while there was none."""
    return 1000 * tally.ok // tally.runs if tally.runs else None


@lru_cache(maxsize=1024)
def title_theme(title: str) -> str:
    """What a title is about: its first two content words in lower case and singular.

    "Count doors on floor 2" and "count the doors of floor 3" are both "count door".
    Words with digits tell one task from the next, and are passed over.
    """
    telling = " ".join(word for word in title.split() if not any(map(str.isdigit, word)))
    words = [word for word in content_words(telling) if word.isalpha()]
    return " ".join(_singular(word) for word in words[:_THEME_WORDS]) or OTHER


def tally_row(tally: WorkTally) -> dict[str, Any]:
    """A tally as facts and reports tell it: a copy, JSON-ready."""
    return {
        "runs": tally.runs,
        "ok": tally.ok,
        "success_rate_permille": success_rate_permille(tally),
        "tools": dict(sorted(tally.tools.items())),
        "errors": dict(sorted(tally.errors.items())),
        "tasks": dict(sorted(tally.tasks.items())),
        "themes": dict(sorted(tally.themes.items())),
        "steps": tally.steps,
        "steps_ok": tally.steps_ok,
        "first": tally.first,
        "last": tally.last,
        "first_at": tally.first_at,
        "last_at": tally.last_at,
        "was": tally.was,
    }


def tally_line(tally: WorkTally, most: int = NAMES) -> str:
    """A tally on one line, up to `most` names of a kind; "" while nothing was counted."""
    parts = []
    if tally.runs:
        runs = "1 run" if tally.runs == 1 else f"{tally.runs} runs"
        parts.append(f"{runs}, {tally.ok} ok ({_counts(tally.tools, most)})")
    if tally.errors:
        parts.append(f"errors: {_counts(tally.errors, most)}")
    if tally.tasks:
        parts.append(f"tasks: {_counts(tally.tasks, most)} ({_counts(tally.themes, most)})")
    if tally.steps:
        steps = "1 step" if tally.steps == 1 else f"{tally.steps} steps"
        parts.append(f"{steps}, {tally.steps_ok} ok")
    if tally.first_at and tally.last_at:
        parts.append(f"{tally.first_at} to {tally.last_at}")
    return "; ".join(parts)


def _counts(counts: dict[str, int], most: int) -> str:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{name} {count}" for name, count in ranked[:most])
    return f"{shown} and {len(ranked) - most} more" if len(ranked) > most else shown


def _add(counts: dict[str, int], name: str) -> None:
    if name not in counts and len(counts) >= NAMES:
        name = OTHER
    counts[name] = counts.get(name, 0) + 1


def _seen(tally: WorkTally, n: int, at: str | None) -> None:
    if not tally.first:
        tally.first = n
    tally.first_at = tally.first_at or at
    tally.last, tally.last_at = n, at or tally.last_at


def _singular(word: str) -> str:
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural else word
