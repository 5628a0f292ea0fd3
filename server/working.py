"""The worker process, from settings to exit code."""

from __future__ import annotations

from server.settings import Settings


def work(settings: Settings, lanes: str, name: str | None) -> int:
    """Works until told to stop; the exit code."""
    raise NotImplementedError((settings, lanes, name))
