"""A lane of which a key holds what nobody wrote is served all the same, or says which key it is."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from structlog.testing import capture_logs

from parley.bus import Bus
from parley.bus.connection.task_groups import open_task_group
from parley.bus.contract.errors import WrongType
from parley.listeners.workers.projector import Projector, ProjectorPace
from tests.support.logs.logs import PACKS
from tests.support.servers.patience import wait_until
from tests.support.servers.servers import RedisServer
from tests.support.sessions.sessions import discuss

pytestmark = pytest.mark.real_server

DUE, CLAIMS = "parley:{0}:due:fold", "parley:{0}:claims:fold"


@pytest.mark.parametrize(
    "value", ["x", "", "- -", "a b c", "a b " + "9" * 40, b"\xff\xfe"], ids=repr
)
async def test_an_unreadable_lease_stops_nobody(
    bus: Bus, any_server: RedisServer, value: str
) -> None:
    """Neither its session nor the neighbours of it."""
    await discuss(bus, "ill", 2)
    await discuss(bus, "well", 2)
    with any_server.client() as raw:
        raw.hset(CLAIMS, "ill", value)
    projector = Projector(bus, PACKS, "w1", ProjectorPace(idle_seconds=0.05))
    while not await projector.round():
        pass
    assert [(await bus.info(name)).folded for name in ("ill", "well")] == [3, 3]


@pytest.mark.parametrize("member", ["x y", "", "-", b"\xff", "ghost", "a" * 70], ids=repr)
@pytest.mark.parametrize("score", [1, float("-inf"), float("inf")])
async def test_a_due_entry_of_nobody_stops_nobody(
    bus: Bus, any_server: RedisServer, member: Any, score: float
) -> None:
    """It leaves the lane, or waits by itself."""
    await discuss(bus, "well", 2)
    with any_server.client() as raw:
        raw.zadd(DUE, {member: score})
        raw.hset(CLAIMS, member, "x")
    projector = Projector(bus, PACKS, "w1", ProjectorPace(idle_seconds=0.05))
    for _ in range(4):
        await projector.round()
    assert (await bus.info("well")).folded == 3


@pytest.mark.parametrize("key", [CLAIMS, "parley:{0}:taken:fold:w1", "parley:workers"])
async def test_a_cache_of_another_type_is_made_anew(
    bus: Bus, any_server: RedisServer, key: str
) -> None:
    await discuss(bus, "well", 2)
    with any_server.client() as raw:
        raw.delete(key)
        raw.lpush(key, "x")
        await bus.beat("w1", {"lanes": ["fold"]})
        assert len(await bus.workers()) == 1
        projector = Projector(bus, PACKS, "w1", ProjectorPace(idle_seconds=0.05))
        while not await projector.round():
            pass
    assert (await bus.info("well")).folded == 3


async def test_a_lane_of_another_type_names_its_key_and_comes_back(
    bus: Bus, any_server: RedisServer
) -> None:
    """Publishing says which key it is; the worker waits until the janitor put it right."""
    await discuss(bus, "well", 2)
    with any_server.client() as raw:
        raw.delete(DUE)
        raw.set(DUE, "x")
    with pytest.raises(WrongType, match=r"the key 'parley:\{0\}:due:fold' is a string") as told:
        await discuss(bus, "other", 1)
    assert "No session is at fault" in str(told.value)
    assert (await bus.info("well")).status == "open"
    projector, stop = Projector(bus, PACKS, "w1", ProjectorPace(idle_seconds=0.05)), anyio.Event()
    with capture_logs() as logs:
        async with open_task_group() as group:
            group.start_soon(projector.run, stop)
            await wait_until(lambda: any(each["event"] == "lane_damaged" for each in logs))
            assert await bus.janitor() == 1

            async def is_folded() -> bool:
                return (await bus.info("well")).folded == 3

            await wait_until(is_folded)
            stop.set()


async def test_a_beat_that_is_none_is_forgotten(bus: Bus, any_server: RedisServer) -> None:
    await bus.beat("w1", {"lanes": ["fold"]})
    with any_server.client() as raw:
        for k, row in enumerate(("x", "[]", "{}", "null", '{"pid": "x"}', b"\xff")):
            raw.hset("parley:workers", f"w{k}x", row)
        raw.hset("parley:workers", b"\xff", "{}")
        assert [worker.owner for worker in await bus.workers()] == ["w1"]
        await bus.janitor()
        assert raw.hkeys("parley:workers") == [b"w1"]
