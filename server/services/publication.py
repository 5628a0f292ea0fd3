"""Entries that people publish by commands and doors: one at a time, under an id, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parley.bus import Bus
from parley.bus.contract.drafts import Draft, Receipt, new_id
from parley.bus.contract.errors import StaleEpoch

if TYPE_CHECKING:
    from parley.bus.entries import Entry, Message
    from parley.server.runtime.backend import Backend

NO_EPOCH: Final = -1  # no epoch of a floor: what is published under it lands only if it is there


async def publish_entry(bus: Bus, session: str, entry: Entry, id: str = "") -> Receipt:
    """Publishes one entry, under `id` or a new one."""
    return (await bus.publish(session, [Draft(id or f"cli:{new_id()}", entry)]))[0]


async def publish_on_target(
    backend: Backend, session: str, message: Message, id: str = ""
) -> Receipt:
    """`publish_entry` of a message whose act is on something.

    Raises `UnknownRef` or `UnknownMessage` where that is not there, unless the message stands.
    """
    from parley.memory.state.lookup import target_refusal  # the fold: most messages need none of it

    if missing := target_refusal(await backend.reader.current(session), message):
        draft = Draft(id, message)
        if not id or (before := await find_published(backend.bus, session, draft)) is None:
            raise missing
        return before
    return await publish_entry(backend.bus, session, message, id)


async def find_published(bus: Bus, session: str, draft: Draft) -> Receipt | None:
    """Where `draft` stands, if it was published before. Raises `Conflict`, `SessionClosed`."""
    try:
        return (await bus.publish(session, [draft], epoch=NO_EPOCH))[0]
    except StaleEpoch:
        return None


async def published_n(bus: Bus, session: str, entry: Entry, id: str) -> int | None:
    """The n of `entry` where it was published under that id before: it is not judged again."""
    before = await find_published(bus, session, Draft(id, entry)) if id else None
    return None if before is None else before.n
