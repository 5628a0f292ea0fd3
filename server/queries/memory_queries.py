"""One question each, of what is held; and for a command from settings: connect, ask, done."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from parley.bus import Bus
from parley.memory.context.context import Context, Profile
from parley.memory.fold import canonical_bytes
from parley.memory.state.memory import Memory
from parley.server.basics.entry_drafts import normalize_handle
from parley.server.basics.errors import Misuse, NotYet
from parley.server.queries.explanation import explain_item as explained
from parley.server.queries.log_queries import read_entries
from parley.server.queries.session_stats import measure_session
from parley.server.render.memory_layers import RenderedLayer, find_layer
from parley.server.rows.digest_rows import cited, digest
from parley.server.runtime.backend import Backend, open_backend
from parley.server.settings import Settings


async def check_moment(bus: Bus, session: str, at: int | None) -> None:
    """Raises `NotYet` for a moment that has not come yet."""
    if at is not None and at > (n := (await bus.info(session)).n):
        raise NotYet(at, n)


async def read_memory(backend: Backend, session: str, at: int | None = None) -> Memory:
    """The memory, now or as of the `at`-th primary entry. Raises `NotYet`."""
    if at is None:
        return await backend.reader.current(session)
    await check_moment(backend.bus, session, at)
    return await backend.reader.at(session, at)


async def stats_in(backend: Backend, session: str) -> dict[str, Any]:
    """Counts, sizes, forecasts."""
    return await measure_session(backend.bus, backend.reader, session)


@asynccontextmanager
async def _asking(settings: Settings, session: str) -> AsyncIterator[Backend]:
    """Connected for one question of a command, whose moment is its option `--at`."""
    async with open_backend(settings) as backend:
        try:
            yield backend
        except NotYet as early:
            raise Misuse(f"--at {early.at}: {session!r} has {early.n} primary entries") from None


async def dump_memory(settings: Settings, session: str, at: int | None) -> bytes:
    """The canonical bytes of memory, now or as of the `at`-th primary entry."""
    async with _asking(settings, session) as backend:
        return canonical_bytes.dump(await read_memory(backend, session, at))


async def read_digest(settings: Settings, session: str, at: int | None) -> dict[str, Any]:
    """The minutes, now or as of the `at`-th primary entry."""
    async with _asking(settings, session) as backend:
        memory = await read_memory(backend, session, at)
        found = await read_entries(backend.bus, session, cited(memory))
        if at is None:  # reading was an await: the copy may have been folded on
            memory = await backend.reader.current(session)
        return digest(memory, found)


async def read_context(
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
    async with _asking(settings, session) as backend:
        await check_moment(backend.bus, session, at)
        return await backend.reader.context(
            session, participant, profile=profile, budget=budget, at=at, shared=shared
        )


async def explain_item(settings: Settings, session: str, ref: str) -> dict[str, Any]:
    """An item's evidence and history."""
    async with open_backend(settings) as backend:
        return await explained(backend.bus, backend.packs, session, normalize_handle(ref))


async def stats_of(settings: Settings, session: str) -> dict[str, Any]:
    """Counts, sizes, forecasts."""
    async with open_backend(settings) as backend:
        return await stats_in(backend, session)


async def read_layer(settings: Settings, session: str, name: str, at: int | None) -> RenderedLayer:
    """One layer of memory, now or as of the `at`-th primary entry."""
    layer = find_layer(name)  # refused before anything is opened
    async with _asking(settings, session) as backend:
        memory = await read_memory(backend, session, at)
        return RenderedLayer(layer.tree(memory), "\n".join(layer.lines(memory)))
