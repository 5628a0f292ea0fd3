"""Finding messages by their words, from the newest on."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from parley.bus import Bus
from parley.bus.contract.errors import SessionNotFound
from parley.listeners.cache.memory_reader import MemoryReader
from parley.server.queries import message_search
from parley.server.queries.message_search import search_messages
from parley.server.runtime.backend import Backend
from parley.server.runtime.packs import read_packs
from tests.support.sessions.sessions import discuss


@pytest.fixture
async def backend(redis_url: str) -> AsyncIterator[Backend]:
    packs = read_packs(())
    async with await Bus.connect(redis_url) as bus:
        yield Backend(bus, packs, MemoryReader(bus, packs.known))


async def test_the_newest_matches_come_oldest_first(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Across pages, before a place, and no more than asked for."""
    monkeypatch.setattr(message_search, "PAGE", 7)
    await discuss(backend.bus, "a", 60)
    every = [record.seq for record in await search_messages(backend.bus, "a", ["+1"], None, 100)]
    assert every == sorted(every)
    assert len(every) == 7
    assert [
        record.seq for record in await search_messages(backend.bus, "a", ["+1"], None, 3)
    ] == every[-3:]
    assert [
        record.seq for record in await search_messages(backend.bus, "a", ["+1"], None, 3, every[4])
    ] == every[1:4]
    assert [
        record.seq for record in await search_messages(backend.bus, "a", ["+1"], None, 9, 2**53)
    ] == every
    assert await search_messages(backend.bus, "a", ["+1"], None, 9, 1) == []
    by_bo = await search_messages(backend.bus, "a", ["PROPOSE", "index"], "bo", 100)
    assert {getattr(record.entry, "participant", "") for record in by_bo} <= {"bo"}


async def test_a_session_that_is_not_there_is_an_error(backend: Backend) -> None:
    """Rather than an empty answer."""
    with pytest.raises(SessionNotFound):
        await search_messages(backend.bus, "nowhere", ["word"], None, 5)
