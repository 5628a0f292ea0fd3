"""A gateway that is killed at any moment: whoever follows a session loses and doubles nothing."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from bus import Bus
from bus.tasks import end
from tests.faults.gateway import Follower, Gateway
from tests.patience import wait_until
from tests.servers import RedisServer
from tests.sessions import discuss


@pytest.mark.parametrize(
    ("followers", "kills", "seed"),
    [
        (20, 1, 1),
        pytest.param(200, 1, 2, marks=pytest.mark.long),
        pytest.param(200, 4, 3, marks=pytest.mark.long),
    ],
)
async def test_who_follows_over_kills_hears_each_entry_once(
    redis_server: RedisServer, tmp_path: Path, followers: int, kills: int, seed: int
) -> None:
    """Killed with -9 in the middle of talk that goes on: every cursor resumes exactly."""
    chance = random.Random(seed)
    gateway = Gateway(redis_server.url, tmp_path)
    everybody = [Follower(gateway, f"p{k // 20}") for k in range(followers)]
    async with await Bus.connect(redis_server.url) as bus:
        await discuss(bus, "s", 30)
        await gateway.start()
        following = [asyncio.create_task(one.follow()) for one in everybody]
        talking = asyncio.create_task(_talk(bus))
        try:
            for _ in range(kills):
                had = [one.connections for one in everybody]
                await wait_until(lambda: all(one.heard for one in everybody))
                await asyncio.sleep(chance.random() / 4)
                gateway.kill()
                await gateway.start()
                await wait_until(
                    lambda had=had: all(
                        one.connections > before for one, before in zip(everybody, had, strict=True)
                    ),
                    60,
                )
            await end(talking)
            head = (await bus.info("s")).head
            await wait_until(lambda: all(one.heard[-1] >= head for one in everybody))
        finally:
            await end(talking, *following)
            code = gateway.stop()
    assert all(one.heard == list(range(1, head + 1)) for one in everybody)
    assert head > 40
    assert code == 0


async def _talk(bus: Bus) -> None:
    """Somebody says something, thirty times a second."""
    first = 31
    while True:
        await discuss(bus, "s", 1, first=first)
        first += 1
        await asyncio.sleep(1 / 30)
