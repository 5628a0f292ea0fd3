"""Virtual time: nothing waits, order is that of the timers, and nothing hangs."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.listeners.offline.virtual_loop import Stalled, run_virtual


def test_hours_pass_in_no_time() -> None:
    """Ten thousand seconds, one by one, in far less than a hundredth of that."""

    async def main() -> float:
        for _ in range(10_000):
            await asyncio.sleep(1)
        return asyncio.get_running_loop().time()

    began = time.monotonic()
    assert run_virtual(main()) == 10_000
    assert time.monotonic() - began < 30  # some 0.2


@given(st.lists(st.integers(0, 5_000), max_size=30))
def test_sleepers_wake_in_order_of_their_timers(delays: list[int]) -> None:
    """Each at its time, and among equals in the same order every time."""

    async def main() -> list[tuple[float, int]]:
        woken: list[tuple[float, int]] = []

        async def sleep(number: int, delay: int) -> None:
            await asyncio.sleep(delay / 1000)
            woken.append((asyncio.get_running_loop().time(), number))

        await asyncio.gather(*(sleep(number, delay) for number, delay in enumerate(delays)))
        return woken

    woken = run_virtual(main())
    assert woken == run_virtual(main())
    assert [delays[number] for _, number in woken] == sorted(delays)
    assert all(abs(at - delays[number] / 1000) < 1e-6 for at, number in woken)
    assert all(before[0] <= after[0] for before, after in pairwise(woken))


def test_a_deadline_passes_when_its_time_has_come() -> None:
    """`asyncio.timeout` ends a wait that nothing else would end, at its time."""

    async def main() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(3_600):
                await asyncio.Event().wait()
        return asyncio.get_running_loop().time()

    assert run_virtual(main()) == 3_600


def test_a_deadline_that_was_met_costs_nothing() -> None:
    """A task's own work comes before the timer, however long ago that was set."""

    async def main() -> float:
        async with asyncio.timeout(5):
            await asyncio.sleep(4.999)
        return asyncio.get_running_loop().time()

    assert run_virtual(main()) == pytest.approx(4.999)


def test_queues_and_tasks_work_as_ever() -> None:
    """A producer that pauses is heard by a consumer that waits."""

    async def main() -> list[int]:
        queue: asyncio.Queue[int] = asyncio.Queue(1)

        async def produce() -> None:
            for number in range(5):
                await asyncio.sleep(60)
                await queue.put(number)

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(produce())
            return [await queue.get() for _ in range(5)]

    assert run_virtual(main()) == [0, 1, 2, 3, 4]


def test_waiting_for_nothing_is_an_error_that_names_who_waits() -> None:
    """Instead of a hang."""

    async def main() -> None:
        asyncio.current_task().set_name("the-listener")  # type: ignore[union-attr] # it is one
        await asyncio.Event().wait()

    with pytest.raises(Stalled, match="the-listener"):
        run_virtual(main())


def test_a_thread_is_refused() -> None:
    """It would bring real time back in."""

    async def main() -> None:
        await asyncio.to_thread(time.monotonic)

    with pytest.raises(RuntimeError, match="no threads"):
        run_virtual(main())


def test_short_waits_end_far_from_the_beginning() -> None:
    """Also where they are shorter than the clock's digits; beyond that time ends, and says so."""

    async def main(seconds: float) -> float:
        await asyncio.sleep(seconds)
        await asyncio.sleep(1e-12)
        return asyncio.get_running_loop().time()

    assert run_virtual(main(7e6)) == pytest.approx(7e6)
    with pytest.raises(RuntimeError, match="90 days"):
        run_virtual(main(1e9))
