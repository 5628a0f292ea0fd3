"""A setting: one leaf of a tree of models, by its dotted name, and how its value is written."""

from __future__ import annotations

import json
import math
import re
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from parley.memory.settings.session_settings import RETIRED, WHOLE

PREFIX: Final = "PARLEY_"
INHERITED: Final = "session"  # the branch of the tree whose name is left out of dotted names


NUMBER: Final = "a number, such as 0.5"
_WHOLE: Final = re.compile(r"[+-]?[0-9]+")
_NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Setting:
    """One leaf of the tree, by its dotted name."""

    name: str
    path: tuple[str, ...]
    info: FieldInfo

    @property
    def flag(self) -> str:
        return "--" + self.name.replace(".", "-").replace("_", "-")

    @property
    def variable(self) -> str:
        return PREFIX + self.name.replace(".", "_").upper()

    @property
    def switch(self) -> bool:
        return self.info.annotation is bool

    @property
    def many(self) -> bool:
        return typing.get_origin(self.info.annotation) is tuple

    @property
    def mapping(self) -> bool:
        """True for names with a small tree each, such as `note.agents`, and for a tree of rules."""
        return typing.get_origin(self.info.annotation) is dict

    @property
    def clearable(self) -> bool:
        """True where it may be nothing at all: a limit that is not set."""
        return type(None) in typing.get_args(self.info.annotation)

    @property
    def fields(self) -> tuple[str, ...]:
        """What each name of a mapping may have; nothing where it is a tree of rules."""
        below = typing.get_args(self.info.annotation)[1]
        return tuple(getattr(below, "model_fields", ()))

    def field(self, name: str) -> Setting:
        """One of `fields` of a mapping, for whichever name."""
        below = typing.get_args(self.info.annotation)[1]
        return Setting(name, self.path, below.model_fields[name])

    @property
    def kind(self) -> str:
        """What a value looks like, for help and documentation."""
        annotation = self.info.annotation
        if self.clearable:
            (annotation,) = (a for a in typing.get_args(annotation) if a is not type(None))
        if typing.get_origin(annotation) is Literal:
            return "|".join(str(choice) for choice in typing.get_args(annotation))
        if self.mapping:
            return "JSON object"
        names = {int: "integer", float: "number", bool: "true|false", Path: "path"}
        return "list" if self.many else names.get(typing.cast("type", annotation), "text")

    @property
    def taken(self) -> str:
        """What a value looks like, for whoever gave another."""
        return {"integer": WHOLE, "number": NUMBER}.get(self.kind, self.kind)

    @property
    def default(self) -> str:
        """The default as one would type it; "" for none."""
        value = self.info.default
        if self.mapping and not self.fields:
            return json.dumps(self.info.get_default(call_default_factory=True))
        if value is PydanticUndefined or value is None or self.mapping:
            return ""
        if isinstance(value, SecretStr):
            value = value.get_secret_value()
        if isinstance(value, bool):
            return str(value).lower()
        return ", ".join(value) if isinstance(value, tuple) else str(value)

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

    def read(self, value: Any) -> Any:
        """`value` as it was typed, ready for the tree; what cannot be read is left to it."""
        if self.many:
            return split_key(value)
        if self.clearable and value == "":
            return None
        if self.mapping and isinstance(value, str):
            try:
                return json.loads(value)
            except json.JSONDecodeError:
                return value
        return value

    def of(self, tree: BaseModel) -> Any:
        """Its value in `tree`."""
        value: Any = tree
        for step in self.path:
            value = getattr(value, step)
        return value

    def written(self, tree: BaseModel) -> str:
        """Its value in `tree` as a variable holds it, secrets included."""
        value = self.of(tree)
        if isinstance(value, SecretStr):
            return value.get_secret_value()
        if value is None:
            return ""
        if self.mapping and self.fields:
            value = {key: row.model_dump(exclude_none=True) for key, row in value.items()}
        return json.dumps(value) if self.many or self.mapping else str(value)


def list_settings(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[Setting]:
    """Every setting below `model`, in the order it declares them."""
    for name, info in model.model_fields.items():
        below = info.annotation
        here = (*path, name)
        if isinstance(below, type) and issubclass(below, BaseModel):
            yield from list_settings(below, here)
        else:
            spoken = here[1:] if here[0] == INHERITED else here
            yield Setting(".".join(spoken), here, info)


# What was a setting once: it is read past wherever somebody still gives it.
WITHOUT_EFFECT: Final = {
    name: Setting(name, (INHERITED, *name.split(".")), FieldInfo(annotation=str))
    for name in RETIRED
}


def unheeded(where: str) -> str:
    """The warning to whoever gave what was a setting once."""
    return f"{where} is no setting any more and has no effect"


def _is_text(value: Any, form: re.Pattern[str]) -> bool:
    return isinstance(value, str) and form.fullmatch(value) is not None


def split_key(value: Any) -> Any:
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
        about = setting.info.description or ""
        rows.append(
            f"| `{setting.name}` | `{flag}` | `{setting.variable}` | {kind} | {default} | {about} |"
        )
    return "\n".join(rows) + "\n"
