"""What a session's own use suggests its settings should be: asked for, and put in force."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from parley.bus import Bus
from parley.bus.entries import SettingsChanged
from parley.memory.statistics.advice import Advice, advise_limits
from parley.server.basics.entry_drafts import login_name
from parley.server.runtime.backend import Backend
from parley.server.services.publication import publish_entry
from parley.server.settings.setting import set_at
from parley.server.settings.setting_inventory import Row, list_session_settings


async def suggest_settings(backend: Backend, session: str) -> tuple[list[Row], list[Advice]]:
    """A session's settings, and what its use suggests, as of now."""
    memory = await backend.reader.current(session)
    return list_session_settings(memory.settings), advise_limits(memory)


async def apply_advice(bus: Bus, session: str, advice: list[Advice]) -> None:
    """Publishes what was suggested, all of it in one entry."""
    await publish_entry(bus, session, _draft_advice(advice, login_name()))


def _draft_advice(advice: list[Advice], by: str) -> SettingsChanged:
    """The entry that puts all of `advice` in force."""
    tree: dict[str, Any] = {}
    for row in advice:
        set_at(tree, tuple(row.key.split(".")), row.suggested)
    return SettingsChanged(settings=tree, by=by)


def advice_row(advice: Advice) -> dict[str, Any]:
    """Advice as JSON."""
    return asdict(advice)
