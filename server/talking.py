"""What people publish by commands and doors: messages, corrections, other names."""

from __future__ import annotations

from typing import Any, Final

from ulid import ULID

from bus.drafts import Draft, Receipt
from bus.entries import Entry, ItemCorrected
from bus.errors import StaleEpoch
from memory.claims.reading import reading
from memory.errors import UnknownRef
from memory.state import Memory
from server.entry_drafts import aliasing, name_or_person
from server.held import Held, holding
from server.running import connected
from server.settings import Settings

NEVER: Final = -1  # no epoch of a floor: what is published under it lands only if it is there


async def say(settings: Settings, session: str, entry: Entry, own: str | None = None) -> Receipt:
    """Publishes one entry, under `own` id or a new one."""
    async with connected(settings) as running:
        receipts = await running.bus.publish(session, [Draft(own or f"cli:{ULID()}", entry)])
        return receipts[0]


async def standing(held: Held, session: str, draft: Draft) -> Receipt | None:
    """Where `draft` stands, if it was published before. Raises `Conflict`, `SessionClosed`."""
    try:
        return (await held.bus.publish(session, [draft], epoch=NEVER))[0]
    except StaleEpoch:
        return None


async def stands(held: Held, session: str, entry: Entry, id: str) -> int | None:
    """The n of `entry` where it was published under that id before: it is not judged again."""
    before = await standing(held, session, Draft(id, entry)) if id else None
    return None if before is None else before.n


async def put(held: Held, session: str, entry: Entry, id: str = "") -> Receipt:
    """Publishes one entry, under `id` or a new one."""
    return (await held.bus.publish(session, [Draft(id or f"cli:{ULID()}", entry)]))[0]


async def correct(settings: Settings, session: str, entry: ItemCorrected) -> Receipt:
    """Publishes a correction of an item that there is. Raises `UnknownRef`."""
    async with holding(settings) as held:
        return await corrected(held, session, entry)


async def corrected(held: Held, session: str, entry: ItemCorrected, id: str = "") -> Receipt:
    """Publishes a correction of an item that there is. Raises `UnknownRef`."""
    memory = await held.reader.current(session)
    refs = [entry.ref, *([entry.value] if entry.op == "merge" else [])]
    unknown = [ref for ref in refs if not _is_known(memory, ref)]
    # Only now: the same request may be under way, and have struck the item.
    if id and (before := await standing(held, session, Draft(id, entry))) is not None:
        return before
    if unknown:
        raise UnknownRef(str(unknown[0]))
    return await put(held, session, entry, id)


def _is_known(memory: Memory, ref: Any) -> bool:
    return ref in reading(memory).items or bool(ref and memory.item(ref) is not None)


async def alias(settings: Settings, session: str, nick: str, name: str, by: str | None) -> Receipt:
    """Publishes that `nick` is `name`."""
    return await say(settings, session, aliasing(nick, name, name_or_person(by)))


async def aliased(held: Held, session: str, nick: str, name: str, by: str, id: str = "") -> Receipt:
    """Publishes that `nick` is `name`. Raises `Misuse`."""
    return await put(held, session, aliasing(nick, name, by), id)
