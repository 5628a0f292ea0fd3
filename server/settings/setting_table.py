"""Every setting, by its dotted name, from `data/settings.json`: no model is loaded for it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from parley.server.settings.setting import Bounds, Setting

TABLE: Final = Path(__file__).parent.parent / "data" / "settings.json"


def _setting(row: Mapping[str, Any]) -> Setting:
    fields = tuple(map(_setting, row.get("fields", ())))
    bounds = Bounds(**row.get("bounds", {}))
    return Setting(**{**row, "path": tuple(row["path"]), "bounds": bounds, "fields": fields})


SETTINGS: Final[Mapping[str, Setting]] = {
    row["name"]: _setting(row) for row in orjson.loads(TABLE.read_bytes())
}
