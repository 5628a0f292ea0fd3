"""The floor of a session from a command line: how it stands, and a moderator's word on it."""

from __future__ import annotations

from typing import Any

from ulid import ULID

from bus.drafts import Draft, Receipt
from bus.errors import StaleEpoch
from listeners.reader import MemoryReader
from server.chat_commands import parse
from server.chat_lines import Publish
from server.errors import Failure, Misuse
from server.joining import check_allowed
from server.joining_view import floor_tree, told
from server.packs import read_packs
from server.running import connected
from server.settings import Settings
from server.talking import person


async def floor(settings: Settings, session: str) -> tuple[list[str], dict[str, Any]]:
    """How the floor stands, in lines and as data."""
    async with connected(settings) as running:
        reader = MemoryReader(running.bus, read_packs(settings.packs).known)
        memory = await reader.current(session)
        return told(memory, "floor"), floor_tree(memory)


async def moderate(settings: Settings, session: str, command: str, by: str | None) -> Receipt:
    """Does what a moderator types as `command` in the session itself.

    Raises `Failure` where `by` may not, or where the floor moved on meanwhile.
    """
    me = by or person()
    async with connected(settings) as running:
        reader = MemoryReader(running.bus, read_packs(settings.packs).known)
        memory = await reader.current(session)
        done = parse(command, me, memory)
        if not isinstance(done, Publish):
            raise Misuse(f"{command!r} changes nothing of the floor")
        check_allowed(memory, me, done.needs)
        drafts = [Draft(f"cli:{ULID()}", entry) for entry in done.entries]
        try:
            return (await running.bus.publish(session, drafts))[-1]
        except StaleEpoch:
            raise Failure(
                "the floor moved on meanwhile; see 'parley floor show', and say it again"
            ) from None
