"""Task groups: plain errors, and waits that an event ends."""

from __future__ import annotations

import anyio
import pytest

from parley.bus.connection.task_groups import open_task_group, run_beside, wait_unless_set


async def fail() -> None:
    raise LookupError("a child's")


async def nest_groups() -> None:
    async with open_task_group() as outer:
        outer.start_soon(anyio.sleep_forever)
        async with open_task_group() as inner:
            inner.start_soon(fail)
            await anyio.sleep_forever()


async def raise_within() -> None:
    async with open_task_group():
        raise LookupError("an answer") from ValueError("a cause")


async def test_the_error_of_a_child_comes_out_as_it_is() -> None:
    """Also from a group within a group; the siblings are cancelled."""
    with pytest.raises(LookupError, match="a child's"):
        await nest_groups()


async def test_an_error_keeps_its_cause() -> None:
    """What is raised from another error says so outside of the group, too."""
    with pytest.raises(LookupError) as caught:
        await raise_within()
    assert isinstance(caught.value.__cause__, ValueError)


async def test_a_wait_ends_with_its_event() -> None:
    """What is waited for is cancelled then; where it ends first, so does the wait."""
    stop = anyio.Event()
    await wait_unless_set(stop, anyio.sleep(0))
    stop.set()
    await wait_unless_set(stop, anyio.sleep_forever())


async def test_a_wait_raises_what_is_waited_for() -> None:
    """As it is, and the event is not waited for any more."""
    with pytest.raises(LookupError):
        await wait_unless_set(anyio.Event(), fail())


async def test_what_runs_beside_a_body_ends_with_it() -> None:
    """And not before: it is cancelled once the body is over."""
    ended = anyio.Event()

    async def run(name: str) -> None:
        assert name == "given"
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()

    async with run_beside(run, "given"):
        await anyio.sleep(0)
        assert not ended.is_set()
    assert ended.is_set()


async def test_what_fails_beside_a_body_ends_it() -> None:
    """With its own error."""
    with pytest.raises(LookupError, match="a child's"):
        async with run_beside(fail):
            await anyio.sleep_forever()
