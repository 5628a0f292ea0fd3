"""The settings of a process: one frozen tree, built once from flags, variables and a file,
passed down as values.

May import basics. Start with `settings_tree`; `setting` is one leaf, `setting_sources` says
who set it. Names are imported at their first use: `setting_table` and `startup_settings`
do without the tree, whose models are slow to load.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from parley.server.settings.setting_sources import read_sources
    from parley.server.settings.setting_table import SETTINGS
    from parley.server.settings.settings_tree import (
        Settings,
        build_settings,
        environment,
        resolve_defaults,
    )

__all__ = [
    "SETTINGS",
    "Settings",
    "build_settings",
    "environment",
    "read_sources",
    "resolve_defaults",
]

_HOMES: Final = {
    "SETTINGS": "setting_table",
    "Settings": "settings_tree",
    "build_settings": "settings_tree",
    "environment": "settings_tree",
    "read_sources": "setting_sources",
    "resolve_defaults": "settings_tree",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
