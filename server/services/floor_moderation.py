"""The floor of a session, for commands and doors: how it stands, and a moderator's word on it."""

from __future__ import annotations

from typing import Any, Final

from ulid import ULID

from parley.bus.contract.drafts import Draft, Receipt
from parley.bus.contract.errors import Conflict, StaleEpoch
from parley.memory.state.memory import Memory
from parley.server.basics.entry_drafts import login_name
from parley.server.basics.errors import Failure, Misuse
from parley.server.chat_commands.capabilities import check_allowed
from parley.server.chat_commands.command_parser import parse
from parley.server.chat_commands.typed_line import Publish, find_seat
from parley.server.render.session_text import view_lines
from parley.server.rows.floor_rows import floor_row
from parley.server.runtime.backend import Backend, open_backend
from parley.server.settings import Settings


async def read_floor(settings: Settings, session: str) -> tuple[list[str], dict[str, Any]]:
    """How the floor stands, in lines and as data."""
    async with open_backend(settings) as backend:
        memory = await backend.reader.current(session)
        return view_lines(memory, "floor"), floor_row(memory)


async def moderate(settings: Settings, session: str, command: str, by: str | None) -> Receipt:
    """Does what a moderator types as `command` in the session itself.

    Raises `Failure` where `by` may not, or where the floor moved on meanwhile.
    """
    async with open_backend(settings) as backend:
        try:
            return await moderated(backend, session, command, by or login_name())
        except StaleEpoch:
            raise Failure(
                "the floor moved on meanwhile; see 'parley floor show', and say it again"
            ) from None


async def moderated(
    backend: Backend, session: str, command: str, by: str, id: str = "", *, server: bool = False
) -> Receipt:
    """Publishes what `by` means with `command`; the last receipt.

    With `server` it is the server's own word, which needs no capability. Raises `Misuse`,
    `Failure` where `by` may not, and `StaleEpoch`.
    """
    memory = await backend.reader.current(session)
    before = await _done(backend, session, command, None if server else by, id, memory)
    if before is not None:
        return before
    done = parse(command, by, memory)
    if not isinstance(done, Publish):
        raise Misuse(f"{command!r} changes nothing of the floor")
    entries = list(done.entries)
    if server:
        entries = [entry.model_copy(update={"by": None}) if hasattr(entry, "by") else entry
                   for entry in entries]  # fmt: skip
    else:
        check_allowed(memory, by, done.needs)
    own = id or f"cli:{ULID()}"
    drafts = [Draft(f"{own}.{k}" if k else own, one) for k, one in enumerate(entries)]
    return (await backend.bus.publish(session, drafts))[-1]


_ONCE: Final = {"/grant": "floor.granted", "/interrupt": "floor.released"}


async def _done(
    backend: Backend, session: str, command: str, by: str | None, id: str, memory: Memory
) -> Receipt | None:
    """Where the entry of `id` stands by which `command` was done; raises `Conflict` for another.

    Of those alone that cannot be done twice: to whoever has the floor it is not granted again.
    """
    word, _, name = command.partition(" ")
    record = await backend.bus.find(session, id) if id and word in _ONCE else None
    if record is None:
        return None
    entry: Any = record.entry
    whom = find_seat(memory, name) if name else None
    if entry.kind != _ONCE[word] or entry.by != by or whom not in (None, entry.participant):
        raise Conflict(session, id, record.seq)
    return Receipt(record.seq, record.n, duplicate=True)
