"""The settings of a process: one frozen tree, built once from flags, variables and a file,
passed down as values.

May import basics. Start with `settings_tree`; `setting` is one leaf, `setting_sources` says
who set it.
"""

from parley.server.settings.settings_tree import (
    SETTINGS,
    Settings,
    build_settings,
    environment,
    read_sources,
    resolve_defaults,
    setting_rows,
)

__all__ = [
    "SETTINGS",
    "Settings",
    "build_settings",
    "environment",
    "read_sources",
    "resolve_defaults",
    "setting_rows",
]
