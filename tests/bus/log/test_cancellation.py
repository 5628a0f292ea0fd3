"""Cancellation always passes, whatever a call was doing at that moment."""

from __future__ import annotations

import asyncio

import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import Message, SessionOpened


@pytest.mark.parametrize("verb", ["publish", "read", "read_many"])
async def test_a_call_cancelled_at_any_step_is_cancelled(redis_url: str, verb: str) -> None:
    """A task that is cancelled during a call ends cancelled, and not with the call's result.

    Python 3.11's `asyncio.wait_for`, which redis-py sends with, swallows a
    cancellation that meets the end of the send.
    """
    async with await Bus.connect(redis_url) as bus:
        await bus.open("demo", SessionOpened())

        async def call(k: int) -> None:
            if verb == "publish":
                await bus.publish("demo", [Draft(f"m{k}", Message(participant="a", content="b"))])
            elif verb == "read":
                await bus.read("demo")
            else:
                await bus.read_many([("demo", 0)])

        swallowed: list[int] = []
        for steps in range(40):
            await call(1_000 + steps)  # a connection is open and idle
            task = asyncio.create_task(call(steps))
            for _ in range(steps):
                await asyncio.sleep(0)
            if task.cancel():
                await asyncio.wait([task])
                if not task.cancelled():
                    swallowed.append(steps)
        assert swallowed == []
