"""Other names of participants, as people and doors publish them."""

from __future__ import annotations

from parley.bus.contract.drafts import Receipt
from parley.server.basics.entry_drafts import draft_alias
from parley.server.runtime.backend import Backend
from parley.server.services.publication import publish_entry


async def add_alias(
    backend: Backend, session: str, nick: str, name: str, by: str, id: str = ""
) -> Receipt:
    """Publishes that `nick` is `name`. Raises `Misuse`."""
    return await publish_entry(backend.bus, session, draft_alias(nick, name, by), id)
