"""Tools that are looked up before they run, on a real Redis."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import anyio
import pytest

from parley.bus import Bus, Draft
from parley.bus.contract.errors import InvalidEntry
from parley.bus.entries import ToolReturned
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.sessions.session_client import SessionClient
from parley.listeners.tools.toolbox import Run, Toolbox
from parley.memory.state.memory import Memory
from tests.support.logs.dialogues import assistant, called, exchange
from tests.support.logs.logs import PACKS
from tests.support.servers.patience import wait_until
from tests.support.sessions.sessions import whole

OSLO = {"city": "Oslo"}


@pytest.fixture
async def bus(redis_url: str) -> AsyncIterator[Bus]:
    async with await Bus.connect(redis_url) as bus:
        await bus.open("a", assistant())
        yield bus


def toolbox(bus: Bus, participant: str = "helper", wait_seconds: float = 10.0) -> Toolbox:
    return SessionClient(bus, PACKS, "a", participant).toolbox(wait_seconds)


async def memory(bus: Bus) -> Memory:
    return await MemoryReader(bus, PACKS).current("a")


async def talk(bus: Bus, number: int) -> None:
    """One exchange."""
    drafts = [Draft(f"x{number}.{k}", entry) for k, entry in enumerate(exchange(number))]
    await bus.publish("a", drafts)


def counted(runs: list[str], result: str = "rain", wait: asyncio.Event | None = None) -> Run:
    """A tool that notes each run."""

    async def run() -> str:
        runs.append(result)
        if wait is not None:
            await wait.wait()
        return result

    return run


async def test_a_kept_result_is_given_back_whole(bus: Bus) -> None:
    """However long: memory holds its beginning, the log has the rest; with the first call's id."""
    long = "All of it. " * 500
    receipt = await toolbox(bus).put("weather", {"days": 1}, long, call_id="call_7")
    kept = await toolbox(bus, "another").lookup("weather", {"days": 1.0})
    assert kept is not None
    assert (kept.result, kept.call_id, kept.n) == (long, "call_7", receipt.n)
    assert (kept.kept, kept.remaining, kept.ttl) == (True, 3, 3)
    assert (await memory(bus)).tools.hits == 1


async def test_a_lookup_that_finds_nothing_is_a_miss_that_nobody_waits_for(bus: Bus) -> None:
    """Other arguments, another version, another tool; who runs the tool then runs it at once."""
    await toolbox(bus).put("weather", OSLO, "rain")
    assert await toolbox(bus).lookup("weather", {"city": "Bergen"}) is None
    assert await toolbox(bus).lookup("weather", OSLO, version="2") is None
    assert await toolbox(bus).lookup("climate", OSLO) is None
    tools = (await memory(bus)).tools
    assert (tools.hits, tools.misses, tools.calls) == (0, 3, {})
    runs: list[str] = []
    with anyio.fail_after(5):
        await toolbox(bus, wait_seconds=60).call("climate", OSLO, counted(runs), read_only=True)
    assert runs == ["rain"]


async def test_a_tool_runs_once_while_its_result_is_kept(bus: Bus) -> None:
    """Within the exchanges that it may be served for, then again."""
    runs: list[str] = []
    for number in range(1, 4):
        outcome = await toolbox(bus).call("weather", OSLO, counted(runs), read_only=True, ttl=1)
        assert outcome.result == "rain"
        assert (outcome.kept, len(runs)) == (number > 1, 1)
        await talk(bus, number)
    await talk(bus, 4)
    assert not (await toolbox(bus).call("weather", OSLO, counted(runs), read_only=True)).kept
    assert len(runs) == 2


async def test_what_changes_things_always_runs(bus: Bus) -> None:
    """Two writes are two writes."""
    runs: list[str] = []
    for _ in range(2):
        await toolbox(bus).call("book", OSLO, counted(runs), read_only=False)
    assert len(runs) == 2
    assert await toolbox(bus).lookup("book", OSLO) is None


async def test_a_failure_is_told_and_not_kept(bus: Bus) -> None:
    """The caller hears of it as it was; the next one tries again."""

    async def broken() -> str:
        raise TimeoutError("no answer")

    with pytest.raises(TimeoutError, match="no answer"):
        await toolbox(bus).call("weather", OSLO, broken, read_only=True)
    entry = cast("ToolReturned", (await whole(bus, "a"))[-1].entry)
    assert (entry.ok, entry.error) == (False, "TimeoutError")
    runs: list[str] = []
    await toolbox(bus).call("weather", OSLO, counted(runs), read_only=True)
    assert runs == ["rain"]


async def test_a_miss_is_run_once_however_many_ask(bus: Bus) -> None:
    """The first in the log owns the call; the others get what it returns."""
    runs: list[str] = []
    go = asyncio.Event()
    asked = [
        asyncio.create_task(
            toolbox(bus, f"p{k}").call("weather", OSLO, counted(runs, f"r{k}", go), read_only=True)
        )
        for k in range(6)
    ]
    await wait_until(lambda: all_asked(bus, 6))
    go.set()
    outcomes = await asyncio.gather(*asked)
    assert len(runs) == 1
    assert {outcome.result for outcome in outcomes} == set(runs)
    assert sum(not outcome.kept for outcome in outcomes) == 1
    assert (await memory(bus)).tools.misses == 1


async def all_asked(bus: Bus, count: int) -> bool:
    return sum(record.entry.kind == "tool.called" for record in await whole(bus, "a")) == count


async def test_a_failing_owner_costs_the_others_a_wait(bus: Bus) -> None:
    """One of them runs it then, and the rest get that."""
    failed, runs = asyncio.Event(), list[str]()

    async def broken() -> str:
        await failed.wait()
        raise ValueError("no")

    first = asyncio.create_task(toolbox(bus).call("weather", OSLO, broken, read_only=True))
    await wait_until(lambda: all_asked(bus, 1))
    rest = [
        asyncio.create_task(
            toolbox(bus, f"p{k}").call("weather", OSLO, counted(runs), read_only=True)
        )
        for k in range(3)
    ]
    await wait_until(lambda: all_asked(bus, 4))
    failed.set()
    with pytest.raises(ValueError, match="no"):
        await first
    assert {outcome.result for outcome in await asyncio.gather(*rest)} == {"rain"}
    assert len(runs) == 1


async def test_an_owner_that_died_is_waited_for_no_longer_than_the_deadline(bus: Bus) -> None:
    """Then the tool is run."""
    await bus.publish("a", [Draft("dead", called(call_id="dead", city="Oslo"))])
    runs: list[str] = []
    box = toolbox(bus, wait_seconds=0.1)
    outcome = await box.call("weather", OSLO, counted(runs), read_only=True)
    assert (outcome.result, outcome.kept, runs) == ("rain", False, ["rain"])
    assert await box.lookup("weather", OSLO) is not None


async def test_of_those_who_waited_for_a_dead_owner_one_runs_the_tool(bus: Bus) -> None:
    """The others wait for that one: a crash does not end the single flight."""
    await bus.publish("a", [Draft("dead", called(call_id="dead", city="Oslo"))])
    runs: list[str] = []
    boxes = [toolbox(bus, f"agent {k}", wait_seconds=2) for k in range(4)]
    outcomes = await asyncio.gather(
        *(box.call("weather", OSLO, counted(runs), read_only=True) for box in boxes)
    )
    assert {outcome.result for outcome in outcomes} == {"rain"}
    assert len(runs) == 1


async def test_what_is_no_json_is_refused(bus: Bus) -> None:
    """Before anything is published."""
    with pytest.raises(InvalidEntry, match="JSON"):
        await toolbox(bus).put("weather", {"city": object()}, "rain")


async def test_processes_share_one_run(bus: Bus, redis_url: str, tmp_path: Path) -> None:
    """Four processes on one Redis, all at once: one of them runs the tool."""
    ran, go = tmp_path / "ran", tmp_path / "go"
    command = [
        sys.executable,
        "-m",
        "tests.support.processes.tool_caller",
        redis_url,
        "a",
        str(ran),
        str(go),
    ]
    processes = [
        await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        for _ in range(4)
    ]
    try:
        for process in processes:
            assert process.stdout is not None
            assert await asyncio.wait_for(process.stdout.readline(), 60) == b"ready\n"
        go.touch()
        outputs = [await asyncio.wait_for(process.communicate(), 60) for process in processes]
    finally:
        for process in processes:
            if process.returncode is None:
                process.kill()
                await process.wait()
    (runner,) = ran.read_text().split()
    assert {out for out, _ in outputs} == {f"made by {runner}\n".encode()}
