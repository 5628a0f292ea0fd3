"""Lessons from one session to another over a real bus."""

from __future__ import annotations

import asyncio

import pytest

from parley.bus import Bus, Draft
from parley.bus.contract.errors import SessionClosed, SessionNotFound
from parley.bus.entries import Message
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.sessions.lessons import import_lessons, teachable_lessons
from parley.memory.fold.canonical_bytes import dump
from parley.memory.goals.lessons import list_lessons
from tests.support.logs.logs import PACKS, opened
from tests.support.servers.servers import RedisServer
from tests.support.sessions.sessions import replayed_bytes, whole


async def deliberated(bus: Bus, session: str, topics: int = 3) -> None:
    """A closed session that decided on `topics` things."""
    await bus.open(session, opened())
    lines = []
    for k in range(1, topics + 1):
        lines += [("ana", f"[PROPOSAL] Topic {k} of {session}: do it"), ("bo", f"I support P{k}."),
                  ("cy", f"I support P{k}.")]  # fmt: skip
    await bus.publish(
        session,
        [Draft(f"m{i}", Message(participant=who, content=content)) for i, (who, content) in
         enumerate(lines)],
    )  # fmt: skip
    await bus.close(session, "done")


async def test_what_one_session_decided_another_learns(bus: Bus) -> None:
    """From a closed one, with its provenance; memory equals its replay."""
    await deliberated(bus, "a")
    await bus.open("b", opened())
    lessons = await teachable_lessons(MemoryReader(bus, PACKS), "a")
    assert [lesson.ref for lesson in lessons] == ["D1", "D2", "D3"]
    await import_lessons(bus, "b", lessons, by="ana")
    memory = await MemoryReader(bus, PACKS).current("b")
    imported = list_lessons(memory)
    assert {(lesson.session, lesson.ref, lesson.n) for lesson in imported} == {
        ("a", "D1", 3), ("a", "D2", 6), ("a", "D3", 9),
    }  # fmt: skip
    assert imported[0].standing == "ratified +3 -0 ~0"
    assert dump(memory) == await replayed_bytes(bus, "b")
    assert "from a D1" in (await MemoryReader(bus, PACKS).context("b")).text


async def test_importing_twice_is_importing_once(bus: Bus) -> None:
    """Also when the source has gone on and its lessons weigh less by now."""
    await deliberated(bus, "a")
    await bus.open("b", opened())
    lessons = await teachable_lessons(MemoryReader(bus, PACKS), "a")
    await import_lessons(bus, "b", lessons)
    older = [lesson.model_copy(update={"weight": lesson.weight - 3}) for lesson in lessons]
    receipts = await import_lessons(bus, "b", older, by="bo")
    assert all(receipt.duplicate for receipt in receipts)
    assert len(await whole(bus, "b")) == 4


async def test_two_importers_at_once_come_to_one_memory(bus: Bus, any_server: RedisServer) -> None:
    """Each lesson is in the log once, and what stands is the same in either order."""
    await deliberated(bus, "a", 8)
    await deliberated(bus, "c", 8)
    lessons = [
        *await teachable_lessons(MemoryReader(bus, PACKS), "a"),
        *await teachable_lessons(MemoryReader(bus, PACKS), "c"),
    ]
    async with await Bus.connect(any_server.url) as other:
        for target in ("b", "d"):
            await bus.open(target, opened(limits={"lessons": 5}))
            await asyncio.gather(
                import_lessons(bus, target, lessons), import_lessons(other, target, lessons[::-1])
            )
    reader = MemoryReader(bus, PACKS)
    first, second = await reader.current("b"), await reader.current("d")
    assert len(await whole(bus, "b")) == 17
    assert list_lessons(first) == list_lessons(second)
    assert len(list_lessons(first)) == 5


async def test_a_closed_session_learns_nothing_more(bus: Bus) -> None:
    """And one that is not there neither."""
    await deliberated(bus, "a")
    await deliberated(bus, "b")
    lessons = await teachable_lessons(MemoryReader(bus, PACKS), "a")
    with pytest.raises(SessionClosed):
        await import_lessons(bus, "b", lessons)
    with pytest.raises(SessionNotFound):
        await import_lessons(bus, "c", lessons)


async def test_a_context_shows_what_other_sessions_decided_on_request(bus: Bus) -> None:
    """Nothing of it is logged."""
    await deliberated(bus, "a")
    await bus.open("b", opened())
    reader = MemoryReader(bus, PACKS)
    text = (await reader.context("b", "dee", shared=("a",))).text
    assert "| a D1 **Topic 1 of a: do it**" in text
    assert len(await whole(bus, "b")) == 1
    assert "Shared From" not in (await reader.context("b", "dee")).text
