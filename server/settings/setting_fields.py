"""Settings as the models declare them: what `data/settings.json` is made of.

Commands read the file, which is quick, in place of the models, which are not. A test holds
it to them; `python -m parley.server.settings.setting_fields` writes it anew.
"""

from __future__ import annotations

import json
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from annotated_types import Ge, Gt, Le
from msgspec import structs
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from parley.server.settings.setting import INHERITED, LIST, MAPPING, SWITCH, Bounds, Setting
from parley.server.settings.setting_table import TABLE
from parley.server.settings.settings_tree import Settings

KINDS = {int: "integer", float: "number", bool: SWITCH, Path: "path"}


def list_settings(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[Setting]:
    """Every setting below `model`, in the order it declares them."""
    for name, info in model.model_fields.items():
        below = info.annotation
        here = (*path, name)
        if isinstance(below, type) and issubclass(below, BaseModel):
            yield from list_settings(below, here)
        else:
            spoken = here[1:] if here[0] == INHERITED else here
            yield _setting(".".join(spoken), here, info)


def table() -> str:
    """The text of `data/settings.json`."""
    rows = (json.dumps(_row(setting)) for setting in list_settings(Settings))
    return "[\n" + ",\n".join(rows) + "\n]\n"


def _setting(name: str, path: tuple[str, ...], info: FieldInfo) -> Setting:
    kind = _kind(info.annotation)
    fields: tuple[Setting, ...] = ()
    if kind == MAPPING:
        below = typing.get_args(info.annotation)[1]
        rows = getattr(below, "model_fields", {}).items()
        fields = tuple(_setting(field, path, row) for field, row in rows)
    return Setting(
        name, path, kind, info.description or "", _default(info, kind, fields),
        type(None) in typing.get_args(info.annotation), _bounds(info), fields,
    )  # fmt: skip


def _kind(annotation: Any) -> str:
    choices = [each for each in typing.get_args(annotation) if each is not type(None)]
    if typing.get_origin(annotation) is dict:
        return MAPPING
    if typing.get_origin(annotation) is tuple:
        return LIST
    if typing.get_origin(annotation) is Literal:
        return "|".join(map(str, choices))
    return _kind(choices[0]) if choices else KINDS.get(annotation, "text")


def _default(info: FieldInfo, kind: str, fields: tuple[Setting, ...]) -> str:
    value = info.default
    if isinstance(info.json_schema_extra, dict):  # what a new session is opened with
        value = info.json_schema_extra.get("default", value)
    if kind == MAPPING and not fields:
        return json.dumps(info.get_default(call_default_factory=True))
    if value is PydanticUndefined or value is None or kind == MAPPING:
        return ""
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def _bounds(info: FieldInfo) -> Bounds:
    limits: dict[str, Any] = {}
    for limit in info.metadata:
        if isinstance(limit, Ge):
            limits["least"] = limit.ge
        elif isinstance(limit, Gt):
            limits["above"] = limit.gt
        elif isinstance(limit, Le):
            limits["most"] = limit.le
    return Bounds(**limits)


def _row(setting: Setting) -> dict[str, Any]:
    """`setting` without what is as usual."""
    row = {
        field.name: value
        for field in structs.fields(setting)
        if (value := getattr(setting, field.name)) != field.default
    }
    if "bounds" in row:
        bounds = structs.asdict(setting.bounds).items()
        row["bounds"] = {name: limit for name, limit in bounds if limit is not None}
    if "fields" in row:
        row["fields"] = [_row(field) for field in setting.fields]
    return row


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
    sys.stdout.write(f"{TABLE} is written\n")
