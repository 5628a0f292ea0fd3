"""Partial trees of settings: one laid over another.

Loads no models, so that a command may look at what was set without them.
"""

from __future__ import annotations

from typing import Any, Final

# How summaries of a session are made that is opened now, where nobody says otherwise.
NEW_WISH: Final = "auto"

_UNDIVIDED: Final = ("stop",)  # trees that are one value: another takes its place


def overlay_trees(base: dict[str, Any], partial: dict[str, Any]) -> dict[str, Any]:
    """`base` with each value of `partial` in its place; groups are merged, `stop` is one value."""
    result = dict(base)
    for key, value in partial.items():
        below = result.get(key)
        if isinstance(below, dict) and isinstance(value, dict) and key not in _UNDIVIDED:
            value = overlay_trees(below, value)
        result[key] = value
    return result
