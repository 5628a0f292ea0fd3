"""Other names of participants, as people and doors publish them."""

from __future__ import annotations

from bus.drafts import Receipt
from server.entry_drafts import aliasing, name_or_person
from server.held import Held
from server.settings import Settings
from server.talking import put, say


async def alias(settings: Settings, session: str, nick: str, name: str, by: str | None) -> Receipt:
    """Publishes that `nick` is `name`."""
    return await say(settings, session, aliasing(nick, name, name_or_person(by)))


async def aliased(held: Held, session: str, nick: str, name: str, by: str, id: str = "") -> Receipt:
    """Publishes that `nick` is `name`. Raises `Misuse`."""
    return await put(held, session, aliasing(nick, name, by), id)
