"""Every setting, by its dotted name, from `data/settings.json`: no model is loaded for it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from parley.memory.settings.setting_trees import RETIRED
from parley.server.settings.setting import INHERITED, Bounds, Setting

TABLE: Final = Path(__file__).parent.parent / "data" / "settings.json"


def _setting(row: Mapping[str, Any]) -> Setting:
    fields = tuple(map(_setting, row.get("fields", ())))
    bounds = Bounds(**row.get("bounds", {}))
    return Setting(**{**row, "path": tuple(row["path"]), "bounds": bounds, "fields": fields})


SETTINGS: Final[Mapping[str, Setting]] = {
    row["name"]: _setting(row) for row in orjson.loads(TABLE.read_bytes())
}
# What was a setting once: it is read past wherever somebody still gives it.
WITHOUT_EFFECT: Final = {
    name: Setting(name, (INHERITED, *name.split(".")), "text") for name in RETIRED
}
