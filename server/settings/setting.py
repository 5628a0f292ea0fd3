"""A setting: one leaf of the tree, by its dotted name, and how its value is written.

Loads no models: `setting_fields` describes the leaves of the tree that these stand for.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

PREFIX: Final = "PARLEY_"
INHERITED: Final = "session"  # the branch of the tree whose name is left out of dotted names

SWITCH: Final = "true|false"
LIST: Final = "list"
MAPPING: Final = "JSON object"
_TAKEN: Final = {  # what kinds of value are called where that is not enough
    "integer": "a whole number in digits, such as 12",
    "number": "a number, such as 0.5",
}
_DIGITS: Final = 18  # fewer than whole numbers of 64 bits may have
_WHOLE: Final = re.compile(r"[+-]?[0-9]+")
_NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class Bounds(Struct, frozen=True):
    """The range of a number; None: open on that side."""

    least: float | None = None
    above: float | None = None
    most: float | None = None

    def __contains__(self, number: float) -> bool:
        return (
            (self.least is None or number >= self.least)
            and (self.above is None or number > self.above)
            and (self.most is None or number <= self.most)
        )


class Setting(Struct, frozen=True):
    """One leaf of the tree, by its dotted name."""

    name: str
    path: tuple[str, ...]
    kind: str  # what a value looks like, for help and documentation
    description: str = ""
    default: str = ""  # as one would type it; "" for none
    clearable: bool = False  # it may be nothing at all: a limit that is not set
    bounds: Bounds = Bounds()
    # What each name of a mapping may have; nothing where it is a tree of rules.
    fields: tuple[Setting, ...] = ()

    @property
    def flag(self) -> str:
        return "--" + self.name.replace(".", "-").replace("_", "-")

    @property
    def variable(self) -> str:
        return PREFIX + self.name.replace(".", "_").upper()

    @property
    def switch(self) -> bool:
        return self.kind == SWITCH

    @property
    def many(self) -> bool:
        return self.kind == LIST

    @property
    def mapping(self) -> bool:
        """True for names with a small tree each, such as `note.agents`, and for a tree of rules."""
        return self.kind == MAPPING

    def field(self, name: str) -> Setting | None:
        """The one of `fields` that is called so."""
        return next((field for field in self.fields if field.name == name), None)

    @property
    def taken(self) -> str:
        """What a value looks like, for whoever gave another."""
        return _TAKEN.get(self.kind, self.kind)

    def fits(self, value: Any) -> bool:
        """Whether a value as it was typed, or stands in a file, is written like a number of
        its kind; the tree, which sees the rest, would take more for one."""
        if self.clearable and value in ("", None):
            return True
        if self.kind == "integer":
            return type(value) is int or _is_text(value, _WHOLE)
        if self.kind == "number":
            known = type(value) in (int, float) or _is_text(value, _NUMBER)
            return known and math.isfinite(float(value))
        return True

    def surely_takes(self, value: Any) -> bool:
        """Whether the tree takes `value`, as far as that can be said without it.

        False leaves it open: for what is not written in the plainest way, and for mappings.
        """
        if self.kind in _TAKEN:
            known = value not in ("", None) and self.fits(value) and len(str(value)) < _DIGITS
            return known and float(value) in self.bounds
        if self.switch:
            return value in (True, False, "true", "false")
        if self.many:
            names = _split_key(value)
            return isinstance(names, tuple) and all(isinstance(name, str) for name in names)
        if self.mapping or not isinstance(value, str):
            return False
        return bool(value) if self.kind in ("text", "path") else value in self.kind.split("|")

    def read(self, value: Any) -> Any:
        """`value` as it was typed, ready for the tree; what cannot be read is left to it."""
        if self.many:
            return _split_key(value)
        if self.clearable and value == "":
            return None
        if self.mapping and isinstance(value, str):
            try:
                return json.loads(value)
            except json.JSONDecodeError:
                return value
        return value

    def of(self, tree: Any) -> Any:
        """The value of the setting in `tree`, the settings of a process."""
        value = tree
        for step in self.path:
            value = getattr(value, step)
        return value

    def written(self, tree: Any) -> str:
        """The value of the setting in `tree` as a variable holds it, secrets included."""
        value = self.of(tree)
        if hasattr(value, "get_secret_value"):
            return str(value.get_secret_value())
        if value is None:
            return ""
        if self.mapping and self.fields:
            value = {key: row.model_dump(exclude_none=True) for key, row in value.items()}
        return json.dumps(value) if self.many or self.mapping else str(value)


def _is_text(value: Any, form: re.Pattern[str]) -> bool:
    return isinstance(value, str) and form.fullmatch(value) is not None


def _split_key(value: Any) -> Any:
    """A list given as text: names between commas, or a JSON list where a name has one."""
    if isinstance(value, str) and value.startswith("["):
        try:
            value = json.loads(value)
        except json.JSONDecodeError:
            return (value,)
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return tuple(value) if isinstance(value, list) else value


def set_at(tree: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    """Put `value` at `path` of `tree`, in place."""
    for step in path[:-1]:
        tree = tree.setdefault(step, {})
    tree[path[-1]] = value


def table(settings: Mapping[str, Setting]) -> str:
    """The settings as a Markdown table."""
    rows = ["| key | flag | variable | takes | default | |", "|---|---|---|---|---|---|"]
    for setting in settings.values():
        flag = setting.flag
        if setting.switch:
            flag += f" / --no-{flag[2:]}"
        default = f"`{setting.default}`" if setting.default else "empty"
        kind = setting.kind.replace("|", ", ")
        about = setting.description
        rows.append(
            f"| `{setting.name}` | `{flag}` | `{setting.variable}` | {kind} | {default} | {about} |"
        )
    return "\n".join(rows) + "\n"
