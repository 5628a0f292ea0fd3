"""The host of tasks: its children, their deaths, and an end that is certain."""

from __future__ import annotations

import asyncio
import gc
import weakref

import anyio
import pytest

from parley.bus import Bus
from parley.bus.connection.tasks import Child, TaskHost
from parley.bus.contract.errors import BusError
from parley.bus.entries import SessionOpened
from parley.bus.log.log_tail import LogTail

PATIENCE = 5.0


async def test_a_host_closes_from_another_task_than_it_was_opened_in() -> None:
    host = TaskHost("host")
    children: list[Child] = []

    async def open_host() -> None:
        children.append(host.start("sleeper", anyio.sleep_forever))

    await asyncio.create_task(open_host())
    assert not children[0].is_over
    with anyio.fail_after(PATIENCE):
        await asyncio.create_task(host.aclose())
    assert children[0].is_over
    assert children[0].error is None
    assert not host.children


async def test_a_host_keeps_nothing_of_a_child_that_is_over() -> None:
    """Nor what the first child of all worked on, which began with the host."""

    class Work:
        async def do(self) -> None:
            await anyio.sleep(0)

    host, work = TaskHost("host"), Work()
    kept = weakref.ref(work)
    child = host.start("worker", work.do)
    del work
    with anyio.fail_after(PATIENCE):
        await child.wait()
        while kept() is not None:
            await anyio.sleep(0.001)
            gc.collect()
    await host.aclose()


async def test_a_death_is_heard_of_and_takes_no_sibling_with_it() -> None:
    deaths: list[tuple[str, str]] = []
    host = TaskHost("host", lambda child, error: deaths.append((child.name, str(error))))

    async def die(text: str) -> None:
        raise ValueError(text)

    sibling = host.start("sibling", anyio.sleep_forever)
    child = host.start("child", die, "first")
    own = host.start(
        "own", die, "second", on_death=lambda _, error: deaths.append(("-", str(error)))
    )
    with anyio.fail_after(PATIENCE):
        await child.wait()
        await own.wait()
    assert deaths == [("child", "first"), ("-", "second")]
    assert not sibling.is_over
    await host.aclose()


async def test_a_death_that_nobody_is_told_of_is_raised_at_the_close() -> None:
    host = TaskHost("host")

    async def die() -> None:
        raise ValueError("gone")

    await host.start("child", die).wait()
    with pytest.raises(ValueError, match="gone"):
        await host.aclose()
    await host.aclose()


async def test_a_child_that_swallows_a_cancellation_ends_all_the_same() -> None:
    host = TaskHost("host")
    swallowed = 0

    async def swallow() -> None:
        nonlocal swallowed
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                swallowed += 1
                if swallowed > 3:
                    raise

    child = host.start("child", swallow)
    await asyncio.sleep(0.01)
    with anyio.fail_after(PATIENCE):
        await child.aclose()
    assert swallowed == 4
    await host.aclose()


async def test_a_closed_host_may_be_used_again() -> None:
    host = TaskHost("host")
    for _ in range(2):
        child = host.start("child", anyio.sleep_forever)
        with anyio.fail_after(PATIENCE):
            await host.aclose()
        assert child.is_over


async def test_a_child_cancelled_by_others_counts_as_dead() -> None:
    deaths: list[str] = []
    host = TaskHost("host", lambda _, error: deaths.append(str(error)))
    tasks: list[asyncio.Task[None] | None] = []

    async def wait() -> None:
        tasks.append(asyncio.current_task())
        await anyio.sleep_forever()

    sibling = host.start("sibling", anyio.sleep_forever)
    child = host.start("child", wait)
    while not tasks:
        await asyncio.sleep(0)
    assert tasks[0] is not None
    tasks[0].cancel()
    await child.wait()
    assert deaths == ["child was cancelled by others"]
    assert not sibling.is_over
    await host.aclose()


async def test_a_subscriber_of_a_dead_tail_gets_the_reason(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(tail: LogTail) -> bool:
        raise ZeroDivisionError(tail.session)

    async with await Bus.connect(redis_url) as bus:
        await bus.open("demo", SessionOpened())
        monkeypatch.setattr(LogTail, "_read", fail)
        async with bus.subscribe("demo") as subscription:
            with anyio.fail_after(PATIENCE), pytest.raises(BusError, match="ZeroDivisionError"):
                await anext(subscription)
