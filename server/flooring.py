"""The floor of a session from a command line: how it stands, and a moderator's word on it."""

from __future__ import annotations

from typing import Any

from ulid import ULID

from bus.drafts import Draft, Receipt
from bus.errors import StaleEpoch
from server.chat.commands import parse
from server.chat.joining import check_allowed
from server.chat.lines import Publish
from server.chat.views import floor_tree, told
from server.errors import Failure, Misuse
from server.held import Held, holding
from server.settings import Settings
from server.talking import person


async def floor(settings: Settings, session: str) -> tuple[list[str], dict[str, Any]]:
    """How the floor stands, in lines and as data."""
    async with holding(settings) as held:
        memory = await held.reader.current(session)
        return told(memory, "floor"), floor_tree(memory)


async def moderate(settings: Settings, session: str, command: str, by: str | None) -> Receipt:
    """Does what a moderator types as `command` in the session itself.

    Raises `Failure` where `by` may not, or where the floor moved on meanwhile.
    """
    async with holding(settings) as held:
        try:
            return await moderated(held, session, command, by or person())
        except StaleEpoch:
            raise Failure(
                "the floor moved on meanwhile; see 'parley floor show', and say it again"
            ) from None


async def moderated(
    held: Held, session: str, command: str, by: str, id: str = "", *, server: bool = False
) -> Receipt:
    """Publishes what `by` means with `command`; the last receipt.

    With `server` it is the server's own word, which needs no capability. Raises `Misuse`,
    `Failure` where `by` may not, and `StaleEpoch`.
    """
    memory = await held.reader.current(session)
    done = parse(command, by, memory)
    if not isinstance(done, Publish):
        raise Misuse(f"{command!r} changes nothing of the floor")
    entries = list(done.entries)
    if server:
        entries = [one.model_copy(update={"by": None}) if hasattr(one, "by") else one
                   for one in entries]  # fmt: skip
    else:
        check_allowed(memory, by, done.needs)
    own = id or f"cli:{ULID()}"
    drafts = [Draft(f"{own}.{k}" if k else own, one) for k, one in enumerate(entries)]
    return (await held.bus.publish(session, drafts))[-1]
