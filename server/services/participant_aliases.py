"""Other names of participants, as people and doors publish them."""

from __future__ import annotations

from parley.bus.contract.drafts import Receipt
from parley.server.basics.entry_drafts import draft_alias, speaker_name
from parley.server.runtime.backend import Backend
from parley.server.services.publication import put, say
from parley.server.settings import Settings


async def alias(settings: Settings, session: str, nick: str, name: str, by: str | None) -> Receipt:
    """Publishes that `nick` is `name`."""
    return await say(settings, session, draft_alias(nick, name, speaker_name(by)))


async def aliased(
    backend: Backend, session: str, nick: str, name: str, by: str, id: str = ""
) -> Receipt:
    """Publishes that `nick` is `name`. Raises `Misuse`."""
    return await put(backend, session, draft_alias(nick, name, by), id)
