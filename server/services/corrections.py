"""Corrections of what memory found: an item struck, merged, renamed, given to somebody else."""

from __future__ import annotations

from typing import Any

from parley.bus.contract.drafts import Draft, Receipt
from parley.bus.entries import ItemCorrected
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.lookup import missing_item
from parley.memory.state.memory import Memory
from parley.server.runtime.backend import Backend
from parley.server.services.publication import find_published, publish_entry


async def correct_item(
    backend: Backend, session: str, entry: ItemCorrected, id: str = ""
) -> Receipt:
    """Publishes a correction of an item that there is. Raises `UnknownRef`."""
    memory = await backend.reader.current(session)
    refs = [entry.ref, *([entry.value] if entry.op == "merge" else [])]
    unknown = [ref for ref in refs if not _is_known(memory, ref)]
    # Only now: the same request may be under way, and have struck the item.
    if id and (before := await find_published(backend.bus, session, Draft(id, entry))) is not None:
        return before
    if unknown:
        raise missing_item(memory, str(unknown[0]))
    return await publish_entry(backend.bus, session, entry, id)


def _is_known(memory: Memory, ref: Any) -> bool:
    return bool(ref) and ledger_of(memory).item(ref) is not None
