"""Working towards goals, on a real Redis and without a worker."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from parley.bus import Bus
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.sessions.session_client import SessionClient
from parley.memory.errors import NothingOpen, NotOpened
from parley.memory.state.episode_state import WorkTally
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS, opened
from tests.support.servers.patience import PATIENCE
from tests.support.sessions.sessions import replayed, whole


@pytest.fixture
async def bus(redis_url: str) -> AsyncIterator[Bus]:
    async with await Bus.connect(redis_url) as bus:
        await bus.open("audit", opened(preset="analyst"))
        yield bus


async def memory_of(bus: Bus) -> Memory:
    return await MemoryReader(bus, PACKS).current("audit")


def tally_of(memory: Memory, ref: int) -> WorkTally:
    work = memory.episodes.by_ref[ref].work
    assert work is not None
    return work.tally


async def test_a_goal_is_processed_with_its_tasks_tools_and_steps(bus: Bus) -> None:
    """What was done is counted, what was discovered outlives it, all with its time."""
    goals = SessionClient(bus, PACKS, "audit", "ana").goals
    async with goals.process_goal("Count the doors") as goal:
        async with goals.task("Count doors on floor 2", of=goal):
            await goals.record_tool_run("query", "found 12", arguments={"floor": 2})
            await goals.record_tool_run("query", error="TimeoutError")
            await goals.record_step("Two are hidden.", discovered={"hidden doors": "2"})
        await goals.record_tool_run("report", "written", of=goal)
        goal.result = "14 doors"
    memory = await memory_of(bus)
    done = memory.episodes.by_ref[1]
    assert (done.status, done.result, done.handle) == ("completed", "14 doors", goal.handle)
    tally = tally_of(memory, 1)
    assert (tally.runs, tally.ok, tally.errors) == (3, 2, {"TimeoutError": 1})
    assert (tally.tasks, tally.steps) == ({"completed": 1}, 1)
    assert tally.first_at is not None
    assert tally.first_at <= (tally.last_at or "")
    assert "hidden doors: 2" in {insight.text for insight in memory.insights.by_ref.values()}


async def test_what_raises_fails_its_goal_and_passes(bus: Bus) -> None:
    """The error is what the goal came to; a task that was open in it is closed first."""
    goals = SessionClient(bus, PACKS, "audit", "ana").goals
    with pytest.raises(LookupError):
        async with goals.process_goal("Count the doors"), goals.task("Load the model"):
            raise LookupError("no such file")
    memory = await memory_of(bus)
    goal = memory.episodes.by_ref[1]
    assert (goal.status, goal.result) == ("failed", "LookupError: no such file")
    assert tally_of(memory, 1).tasks == {"failed": 1}


async def test_what_is_cancelled_is_abandoned(bus: Bus) -> None:
    """Cancellation passes, and the log says that nobody finished it."""
    goals = SessionClient(bus, PACKS, "audit", "ana").goals
    begun = asyncio.Event()

    async def work() -> None:
        async with goals.process_goal("Count the doors"):
            begun.set()
            await asyncio.sleep(60)

    task = asyncio.create_task(work())
    await asyncio.wait_for(begun.wait(), PATIENCE)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await memory_of(bus)).episodes.by_ref[1].status == "abandoned"


async def test_a_new_goal_archives_the_one_before(bus: Bus) -> None:
    """Nobody has to close it; one who does says how it ended."""
    goals = SessionClient(bus, PACKS, "audit", "ana").goals
    await goals.set_session_goal("Doors")
    await goals.set_session_goal("Windows")
    await goals.complete_current_goal(success=False, result="no model")
    await goals.set_session_goal("Stairs")
    await goals.complete_current_goal(status="abandoned")
    episodes = (await memory_of(bus)).episodes.by_ref
    assert [episodes[ref].status for ref in (1, 2, 3)] == ["superseded", "failed", "abandoned"]
    with pytest.raises(NothingOpen, match="'ana'"):
        await goals.complete_current_goal()


async def test_a_goal_without_room_is_refused_by_name(bus: Bus) -> None:
    """The session's limit is told, and how to go on."""
    await bus.open("tight", opened(limits={"open_episodes": 1}))
    await SessionClient(bus, PACKS, "tight", "ana").goals.set_session_goal("Doors")
    with pytest.raises(NotOpened, match=r"limits\.open_episodes is 1"):
        await SessionClient(bus, PACKS, "tight", "bo").goals.set_session_goal("Windows")


async def test_layers_meet_in_one_session(bus: Bus) -> None:
    """Talk is summarised by its tokens, work counted in its goal; a replay gives the same."""
    from parley.memory.fold.canonical_bytes import dump

    await bus.open("both", opened(preset="analyst", summary={"interval": 4, "strategy": "inline"}))
    session = SessionClient(bus, PACKS, "both", "ana")
    goals = session.goals
    async with goals.process_goal("Count the doors"):
        for number in range(8):
            await session.add_message("bo", f"What about floor {number}? There are many doors.")
            await goals.record_tool_run("query", f"found {number}", arguments={"floor": number})
    memory = await MemoryReader(bus, PACKS).current("both")
    assert [summary.level for summary in memory.summaries.values()] == [0, 0]
    assert tally_of(memory, 1).runs == 8
    again, _ = replayed(await whole(bus, "both"))
    assert dump(again) == dump(memory)
    text = (await session.get_memory_context("ana")).text
    assert "Count the doors" in text
