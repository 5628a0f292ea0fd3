"""One question each, from settings to answer: connect, ask, done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bus import Bus
from listeners.reader import MemoryReader
from memory import canonical
from memory.context import Context, Profile
from memory.state import Memory
from server.asking import said
from server.errors import Misuse
from server.explaining import explained
from server.layers import Told, layer
from server.measuring import measured
from server.minutes import cited, minutes
from server.packs import read_packs
from server.running import Running, connected
from server.settings import Settings
from server.talking import handle


async def _memory(running: Running, settings: Settings, session: str, at: int | None) -> Memory:
    await check_moment(running.bus, session, at)
    reader = MemoryReader(running.bus, read_packs(settings.packs).known)
    return await (reader.current(session) if at is None else reader.at(session, at))


async def check_moment(bus: Bus, session: str, at: int | None) -> None:
    """Raises `Misuse` for a moment that has not come yet."""
    if at is not None and at > (n := (await bus.info(session)).n):
        raise Misuse(f"--at {at}: {session!r} has {n} primary entries")


async def canonical_memory(settings: Settings, session: str, at: int | None) -> bytes:
    """The canonical bytes of memory, now or as of the `at`-th primary entry."""
    async with connected(settings) as running:
        return canonical.dump(await _memory(running, settings, session, at))


async def minutes_of(settings: Settings, session: str, at: int | None) -> dict[str, Any]:
    """The minutes, now or as of the `at`-th primary entry."""
    async with connected(settings) as running:
        memory = await _memory(running, settings, session, at)
        return minutes(memory, await said(running.bus, session, cited(memory)))


async def context_of(
    settings: Settings,
    session: str,
    participant: str | None,
    profile: Profile,
    budget: int | None,
    at: int | None,
    shared: Sequence[str] = (),
) -> Context:
    """The context of a participant, with what the sessions `shared` decided."""
    if session in shared:
        raise Misuse(f"--with {session}: its decisions are there already; name another session")
    async with connected(settings) as running:
        await check_moment(running.bus, session, at)
        reader = MemoryReader(running.bus, read_packs(settings.packs).known)
        return await reader.context(
            session, participant, profile=profile, budget=budget, at=at, shared=shared
        )


async def story_of(settings: Settings, session: str, ref: str) -> dict[str, Any]:
    """An item's evidence and history."""
    async with connected(settings) as running:
        return await explained(running.bus, read_packs(settings.packs), session, handle(ref))


async def stats_of(settings: Settings, session: str) -> dict[str, Any]:
    """Counts, sizes, forecasts."""
    async with connected(settings) as running:
        reader = MemoryReader(running.bus, read_packs(settings.packs).known)
        return await measured(running.bus, reader, session)


async def layer_of(settings: Settings, session: str, name: str, at: int | None) -> Told:
    """One layer of memory, now or as of the `at`-th primary entry."""
    found = layer(name)
    async with connected(settings) as running:
        memory = await _memory(running, settings, session, at)
        return Told(found.tree(memory), "\n".join(found.lines(memory)))
