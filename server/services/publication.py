"""Entries that people publish by commands and doors: one at a time, under an id, once."""

from __future__ import annotations

from typing import Final

from ulid import ULID

from parley.bus.contract.drafts import Draft, Receipt
from parley.bus.contract.errors import StaleEpoch
from parley.bus.entries import Entry
from parley.server.runtime.backend import Backend
from parley.server.runtime.connection import open_connection
from parley.server.settings import Settings

NO_EPOCH: Final = -1  # no epoch of a floor: what is published under it lands only if it is there


async def say(settings: Settings, session: str, entry: Entry, own: str | None = None) -> Receipt:
    """Publishes one entry, under `own` id or a new one."""
    async with open_connection(settings) as running:
        receipts = await running.bus.publish(session, [Draft(own or f"cli:{ULID()}", entry)])
        return receipts[0]


async def find_published(backend: Backend, session: str, draft: Draft) -> Receipt | None:
    """Where `draft` stands, if it was published before. Raises `Conflict`, `SessionClosed`."""
    try:
        return (await backend.bus.publish(session, [draft], epoch=NO_EPOCH))[0]
    except StaleEpoch:
        return None


async def published_n(backend: Backend, session: str, entry: Entry, id: str) -> int | None:
    """The n of `entry` where it was published under that id before: it is not judged again."""
    before = await find_published(backend, session, Draft(id, entry)) if id else None
    return None if before is None else before.n


async def publish_entry(backend: Backend, session: str, entry: Entry, id: str = "") -> Receipt:
    """Publishes one entry, under `id` or a new one."""
    return (await backend.bus.publish(session, [Draft(id or f"cli:{ULID()}", entry)]))[0]
