"""A session shown live beside what a command does."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import Message, Record, SessionOpened
from parley.bus.log.replies import FactRecord
from parley.server.plays.live_view import CATCH_UP_SECONDS, follow_live


@pytest.fixture
async def bus(redis_url: str) -> AsyncIterator[Bus]:
    async with await Bus.connect(redis_url, outbox_seconds=0) as bus:
        yield bus


async def publish(bus: Bus, *texts: str) -> None:
    drafts = [Draft(text, Message(participant="Ana", content=text)) for text in texts]
    await bus.publish("s", drafts)


async def test_all_of_it_is_shown_by_the_end(bus: Bus) -> None:
    """What came after the entry that was asked for, and nothing twice."""
    await bus.open("s", SessionOpened())
    shown: list[int] = []
    async with follow_live(bus, "s", 1, lambda record: shown.append(record.seq)):
        await publish(bus, "one", "two", "three")
    assert shown == [2, 3, 4]


async def test_a_view_that_fails_stops_nobody(bus: Bus) -> None:
    """Nor is it waited for: what it had not shown is in the log."""
    await bus.open("s", SessionOpened())

    def fail(_: Record | FactRecord) -> None:
        raise BrokenPipeError("nobody reads")

    began = time.monotonic()
    async with follow_live(bus, "s", 0, fail):
        await publish(bus, "one")
    assert time.monotonic() - began < CATCH_UP_SECONDS
    assert (await bus.info("s")).head == 2
