"""Results of tools from a command line: keep one, look one up, list what is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from bus.drafts import Receipt
from listeners.reader import MemoryReader
from listeners.toolbox import Found, Toolbox
from memory.condensed import result_text
from memory.errors import NothingOpen
from memory.lookup import at_work
from memory.state import Memory
from memory.toolcache import live, remaining
from server.errors import Failure, Misuse
from server.goals import named
from server.packs import read_packs
from server.running import connected
from server.settings import Settings
from server.talking import person


def arguments_of(text: str) -> dict[str, Any]:
    """The arguments as typed. Raises `Misuse` for what is no JSON object."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Misuse(f"--args is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise Misuse('--args: give a JSON object, such as \'{"city": "Oslo"}\'')
    return found


async def put(
    settings: Settings, session: str, tool: str, arguments: dict[str, Any], result: str,
    *, participant: str | None = None, of: str | None = None, **given: Any,
) -> Receipt:  # fmt: skip
    """Publishes what a tool returned, in the goal or task `of`.

    Raises `Misuse`, and `NothingOpen` where `of` is not.
    """
    episode = of and named(of)
    who = participant or person()
    async with connected(settings) as running:
        packs = read_packs(settings.packs).known
        reader = MemoryReader(running.bus, packs)
        if episode is not None and not at_work(await reader.current(session), episode, who):
            raise NothingOpen(f"{episode} is not open")
        box = Toolbox(running.bus, packs, session, who, reader)
        return await box.put(tool, arguments, result, episode=episode, **given)


async def get(
    settings: Settings, session: str, tool: str, arguments: dict[str, Any],
    *, participant: str | None = None, version: str = "",
) -> Found:  # fmt: skip
    """The kept result, in full; a hit. Raises `Failure` on a miss."""
    async with connected(settings) as running:
        packs = read_packs(settings.packs).known
        box = Toolbox(running.bus, packs, session, participant or person())
        found = await box.lookup(tool, arguments, version)
        if found is None:
            raise Failure(
                f"no result of {tool!r} for these arguments is kept in {session!r}; "
                f"'parley tool ls {session}' lists what is"
            )
        return found


async def kept(settings: Settings, session: str) -> list[dict[str, Any]]:
    """What is kept, oldest first."""
    async with connected(settings) as running:
        reader = MemoryReader(running.bus, read_packs(settings.packs).known)
        return list(rows(await reader.current(session)))


def rows(memory: Memory) -> Iterator[dict[str, Any]]:
    """What is kept in `memory`, oldest first."""
    for held in live(memory):
        yield {
            "tool": held.tool,
            "arguments": held.arguments,
            "remaining": remaining(memory, held),
            "original": held.ttl,
            "hits": held.hits,
            "bytes": held.bytes,
            "n": held.n,
            "call_id": held.call_id,
            "text": result_text(memory, held),
        }
