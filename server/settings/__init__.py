"""The settings of a process: what they are, where they come from, how they are shown."""

from server.settings.tree import (
    SETTINGS,
    Settings,
    built,
    environment,
    gathered,
    settled,
    table,
)

__all__ = ["SETTINGS", "Settings", "built", "environment", "gathered", "settled", "table"]
