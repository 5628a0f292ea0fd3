"""A replica takes the place of its primary: who follows a session goes on, or is told why not."""

from __future__ import annotations

import asyncio

import pytest

from parley.bus import Bus, Cursor
from parley.bus.contract.errors import Fenced
from parley.bus.entries import Record
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.rooms.log_port import RedisLog
from parley.listeners.rooms.room import enter_room
from parley.memory.fold.canonical_bytes import dump
from tests.faults.chaos_round import OPTIONS
from tests.faults.replica import Replica
from tests.support.logs.logs import PACKS
from tests.support.servers.patience import wait_until
from tests.support.servers.servers import Flavour, StartServer
from tests.support.sessions.sessions import replayed_bytes
from tests.support.sessions.talks import everything, message_draft, talk


class _Subscriber:
    """What one of many heard, and what it was told at the end."""

    def __init__(self, bus: Bus) -> None:
        self.places: list[tuple[int, str]] = []
        self.told: Exception | None = None
        self._bus = bus

    async def follow(self) -> None:
        try:
            async with self._bus.subscribe("a", Cursor.after(0), facts=False) as subscription:
                async for record in subscription:
                    assert isinstance(record, Record)
                    self.places.append((record.seq, record.id))
        except Fenced as error:
            self.told = error


@pytest.mark.parametrize("outbox", [60.0, 0.0])
async def test_a_failover_that_loses_the_last_entries_leaves_nobody_waiting(
    start_server: StartServer, real_flavour: Flavour, outbox: float
) -> None:
    """Publishers give back what was lost, or it is gone: rooms and subscribers end up right."""
    server = start_server(real_flavour, aof="always", options=OPTIONS)
    async with (
        await Bus.connect(server.url, outbox_seconds=outbox) as publisher,
        await Bus.connect(server.url) as bus,
        Replica(server) as replica,
    ):
        await talk(publisher, "a", 20)
        subscribers = [_Subscriber(bus) for _ in range(5)]
        async with (
            enter_room(RedisLog(MemoryReader(bus, PACKS), "a")) as room,
            asyncio.TaskGroup() as group,
        ):
            following = [group.create_task(each.follow()) for each in subscribers]
            await replica.catch_up()
            await replica.fall_behind()
            await publisher.publish("a", [message_draft(k) for k in range(21, 31)])
            await wait_until(
                lambda: room.seq == 31 and all(len(each.places) == 31 for each in subscribers)
            )
            assert replica.promote() > 0
            await publisher.publish("a", [message_draft(99)])
            head = (await bus.info("a")).head
            assert head == (32 if outbox else 22)
            expected = [(record.seq, record.id) for record in await everything(bus, "a")]

            async def is_right() -> bool:
                return dump(room.memory) == await replayed_bytes(bus, "a") and all(
                    each.told or each.places == expected for each in subscribers
                )

            await wait_until(is_right)
            for task in following:
                task.cancel()
