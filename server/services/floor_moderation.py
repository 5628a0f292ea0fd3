"""The floor of a session, for commands and doors: how it stands, and a moderator's word on it."""

from __future__ import annotations

from typing import Any, Final

from parley.bus.contract.drafts import Draft, Receipt, new_id
from parley.bus.contract.errors import Conflict
from parley.memory.state.memory import Memory
from parley.server.chat_commands.capabilities import check_allowed
from parley.server.chat_commands.moderator_commands import Moderation, draft_moderation
from parley.server.chat_commands.typed_line import find_seat
from parley.server.render.session_text import view_lines
from parley.server.rows.floor_rows import floor_row
from parley.server.runtime.backend import Backend


async def read_floor(backend: Backend, session: str) -> tuple[list[str], dict[str, Any]]:
    """How the floor stands, in lines and as data."""
    memory = await backend.reader.current(session)
    return view_lines(memory, "floor"), floor_row(memory)


async def moderate_floor(
    backend: Backend, session: str, moderation: Moderation, by: str, id: str = "", *,
    server: bool = False,
) -> Receipt:  # fmt: skip
    """Publishes what `by` has happen.

    With `server` it is the server's own word, which needs no capability. Raises `Misuse`,
    `Failure` where `by` may not, and `StaleEpoch` where the floor moved on meanwhile.
    """
    memory = await backend.reader.current(session)
    before = await _done(backend, session, moderation, None if server else by, id, memory)
    if before is not None:
        return before
    entry = draft_moderation(moderation, by, memory)
    if not server:
        check_allowed(memory, by, moderation.right)
    elif hasattr(entry, "by"):
        entry = entry.model_copy(update={"by": None})
    return (await backend.bus.publish(session, [Draft(id or f"cli:{new_id()}", entry)]))[0]


_ONCE: Final = {"grant": "floor.granted", "interrupt": "floor.released"}


async def _done(
    backend: Backend, session: str, moderation: Moderation, by: str | None, id: str, memory: Memory
) -> Receipt | None:
    """Where the entry of `id` stands by which it was done; raises `Conflict` for another.

    Of what alone cannot be done twice: to whoever has the floor it is not granted again.
    """
    kind = _ONCE.get(moderation.verb)
    record = await backend.bus.find(session, id) if id and kind else None
    if record is None:
        return None
    entry: Any = record.entry
    whom = find_seat(memory, moderation.target) if moderation.target else None
    if entry.kind != kind or entry.by != by or whom not in (None, entry.participant):
        raise Conflict(session, id, record.seq)
    return Receipt(record.seq, record.n, duplicate=True)
