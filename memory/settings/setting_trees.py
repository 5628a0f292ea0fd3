"""Partial trees of settings: one laid over another, and keys that nothing goes by any more.

Loads no models, so that a command may look at what was set without them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

# How summaries of a session are made that is opened now, where nobody says otherwise.
NEW_WISH: Final = "auto"

# Settings that logs and files of earlier builds may name: they are read past.
RETIRED: Final = ("structure.decisions", "structure.manner")

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


def list_retired_keys(tree: Mapping[str, Any]) -> list[str]:
    """The settings in a partial tree that nothing goes by any more, by dotted name."""
    return [name for name in RETIRED if _is_in(tree, *name.split("."))]


def drop_retired_keys(tree: dict[str, Any]) -> dict[str, Any]:
    """A partial tree without what `list_retired_keys` names; that itself stays as it is."""
    for name in list_retired_keys(tree):
        group, key = name.split(".")
        below = {name: value for name, value in tree[group].items() if name != key}
        tree = {**tree, group: below}
    return tree


def _is_in(tree: Mapping[str, Any], group: str, key: str) -> bool:
    below = tree.get(group)
    return isinstance(below, Mapping) and key in below
