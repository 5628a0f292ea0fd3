"""Memory as of now: current without a worker, and right whatever becomes of the log."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from parley.bus import Bus, Draft
from parley.bus.contract.errors import SessionNotFound
from parley.bus.entries import Message, ParticipantAliased
from parley.listeners.cache.fold_build import fold_build
from parley.listeners.cache.memory_cache import TURN_SIZE, CachedMemory, fold_cooperatively
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.cache.ranges import TURN
from parley.listeners.workers.projector import Projector, ProjectorPace
from parley.memory.errors import ContextOverflow
from parley.memory.fold.canonical_bytes import dump
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS
from tests.support.sessions.sessions import discuss, replayed, replayed_bytes, whole


async def say(bus: Bus, session: str, participant: str, content: str) -> int:
    message = Message(participant=participant, content=content)
    (receipt,) = await bus.publish(session, [Draft(f"from-{participant}", message)])
    return receipt.n


async def test_context_is_current_with_every_worker_stopped(bus: Bus) -> None:
    """Right after a publish the context holds that message and what it changed."""
    reader = MemoryReader(bus, PACKS)
    await discuss(bus, "a", 20)
    await say(bus, "a", "zoe", "I propose we paint the roof green.")
    context = await reader.context("a", "ana")
    assert "paint the roof green" in context.text
    memory = await reader.current("a")
    assert any("roof" in proposal.topic for proposal in memory.proposals.values())
    assert (await bus.info("a")).folded == 0


async def test_each_question_sees_what_was_said_before_it(bus: Bus) -> None:
    """One message after the other is in the very next context."""
    reader = MemoryReader(bus, PACKS)
    await discuss(bus, "a", 1)
    for k in range(20):
        await say(bus, "a", f"p{k}", f"{k} is my number of choice")
        assert f"{k} is my number of choice" in (await reader.context("a")).text


async def test_memory_is_the_replay_with_and_without_a_snapshot(bus: Bus) -> None:
    """From nothing, from a snapshot, and folded on in the process: the same bytes."""
    fresh, kept = MemoryReader(bus, PACKS), MemoryReader(bus, PACKS)
    await discuss(bus, "a", 290)
    await kept.current("a")
    projector = Projector(bus, PACKS, "w1", ProjectorPace(snapshot_tail=1))
    await projector.round()
    assert await bus.snapshot("a", fold_build()) is not None
    await discuss(bus, "a", 230, first=291)
    expected = await replayed_bytes(bus, "a")
    assert dump(await kept.current("a")) == expected
    assert dump(await fresh.current("a")) == expected


async def test_a_long_fold_gives_others_their_turn(bus: Bus) -> None:
    """A few entries at a time; given up between two turns, it leaves what can be gone on from."""
    await discuss(bus, "a", 6 * TURN)
    records = await bus.read("a", count=10_000)
    copy, seen = CachedMemory("a", "", Memory(PACKS)), [0]
    folding = asyncio.create_task(fold_cooperatively(copy, records, ()))
    while copy.seq < 3 * TURN:
        await asyncio.sleep(0)
        seen.append(copy.seq)
    folding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await folding
    turns = [records[seq:later] for seq, later in itertools.pairwise(seen)]
    assert 1 < max(map(len, turns)) <= TURN
    for turn in turns:  # ended by what was said in it, whoever says much at once
        assert sum(len(getattr(record.entry, "content", "")) for record in turn[:-1]) <= TURN_SIZE
    await fold_cooperatively(copy, records[copy.seq :], ())
    assert dump(copy.memory) == await replayed_bytes(bus, "a")


async def test_many_may_ask_at_once(bus: Bus) -> None:
    """Concurrent questions about one session never fold an entry twice."""
    reader = MemoryReader(bus, PACKS)
    await discuss(bus, "a", 300)
    await asyncio.gather(*(reader.context("a", f"p{k}") for k in range(20)))
    assert dump(await reader.current("a")) == await replayed_bytes(bus, "a")


async def test_the_past_is_as_it_was(bus: Bus) -> None:
    """`at` gives the memory of the prefix, whatever was said later."""
    reader = MemoryReader(bus, PACKS)
    await discuss(bus, "a", 40)
    before = dump(await reader.at("a", 25))
    await discuss(bus, "a", 40, first=41)
    assert dump(await reader.at("a", 25)) == before
    memory, _ = replayed([record for record in await whole(bus, "a") if record.n <= 25])
    assert before == dump(memory)
    context = await reader.context("a", at=25)
    assert "(25)" in context.text
    assert "(26)" not in context.text


async def test_what_was_set_aside_later_is_still_in_the_past(bus: Bus) -> None:
    """`at` honours only the skips that stood by then; the present honours all."""
    reader = MemoryReader(bus, PACKS)
    await discuss(bus, "a", 10)
    await reader.current("a")
    await bus.set_aside("a", 5, "a test of it")
    assert (await reader.at("a", 10)).messages == 9
    assert (await reader.at("a", 8)).messages == 8
    assert dump(await reader.current("a")) == await replayed_bytes(bus, "a")
    assert (await reader.current("a")).messages == 9


async def test_the_profiles_show_what_they_promise(bus: Bus) -> None:
    """All messages in full, five in brief, though summaries are between them in the log."""
    reader = MemoryReader(bus, PACKS)
    await discuss(bus, "a", 60)
    full = (await reader.context("a")).text
    brief = (await reader.context("a", profile="brief")).text
    assert [k for k in range(1, 61) if f"({k})" in full.partition("Recent Messages")[2]] == list(
        range(1, 61)
    )
    assert [k for k in range(1, 61) if f"({k})" in brief.partition("Recent Messages")[2]] == list(
        range(56, 61)
    )


async def test_a_budget_is_kept_or_refused(bus: Bus) -> None:
    """What fits is within the budget; below the floor the caller hears of it."""
    reader = MemoryReader(bus, PACKS)
    await discuss(bus, "a", 60)
    assert (await reader.context("a", budget=400)).size <= 400
    with pytest.raises(ContextOverflow):
        await reader.context("a", budget=1)


async def test_recent_messages_are_found_among_other_entries(bus: Bus) -> None:
    """However many entries of other kinds stand at the end."""
    reader = MemoryReader(bus, PACKS)
    await discuss(bus, "a", 12)
    for k in range(70):
        await bus.publish(
            "a", [Draft(f"c{k}", ParticipantAliased(alias=f"nick{k}", participant="ana"))]
        )
    recent = await reader.recent("a", 5)
    assert [record.n for record in recent] == [8, 9, 10, 11, 12]
    assert len(await reader.recent("a", 99)) == 12
    assert await reader.recent("a", 0) == []


async def test_an_unknown_session_is_said_to_be_one(bus: Bus) -> None:
    """Every question about it raises the same."""
    reader = MemoryReader(bus, PACKS)
    for question in (reader.current("no"), reader.context("no"), reader.at("no", 3)):
        with pytest.raises(SessionNotFound):
            await question


async def test_a_session_made_anew_is_read_anew(bus: Bus) -> None:
    """A copy of the removed session is not folded on."""
    reader = MemoryReader(bus, PACKS)
    await discuss(bus, "a", 30)
    await reader.current("a")
    await bus.remove("a")
    await discuss(bus, "a", 35)
    assert dump(await reader.current("a")) == await replayed_bytes(bus, "a")
