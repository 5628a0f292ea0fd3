"""What a command goes by before it does anything: where Redis is, and how it logs.

Read without the tree, whose models take longer to load than most commands to run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from parley.server.settings.setting import Setting
from parley.server.settings.setting_sources import Sources
from parley.server.settings.setting_table import SETTINGS


class StartupSettings(Struct, frozen=True):
    """Some leaves of `settings_tree.Settings`, by the same names."""

    redis: str
    embedded: Literal["auto", "path", "bundled", "fake"]
    data: Path
    require_durable: bool
    log_level: str
    log_json: bool


def read_startup(given: Sources) -> StartupSettings | None:
    """These settings; None where the tree has to say whether it takes all that was given."""
    if all(SETTINGS[name].surely_takes(value.value) for name, value in given.values.items()):
        names = StartupSettings.__struct_fields__
        return StartupSettings(**{name: _value(SETTINGS[name], given) for name in names})
    return None


def _value(setting: Setting, given: Sources) -> Any:
    value = given.values[setting.name].value if setting.name in given.values else setting.default
    if setting.switch:
        return value in (True, "true")
    return Path(value) if setting.kind == "path" else value
