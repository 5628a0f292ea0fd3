"""A gateway that is killed at any moment: nothing is lost or doubled, and votes end."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import httpx2
import pytest

from parley.bus import Bus
from tests.faults.crew import Crew
from tests.faults.gateway import Follower, Gateway
from tests.support.servers.patience import cancel_and_wait, wait_until
from tests.support.servers.servers import RedisServer
from tests.support.sessions.sessions import discuss, past, replayed, whole


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
        following = [asyncio.create_task(follower.follow()) for follower in everybody]
        talking = asyncio.create_task(_talk(bus))
        try:
            for _ in range(kills):
                had = [follower.connections for follower in everybody]
                await wait_until(lambda: all(follower.heard for follower in everybody))
                await asyncio.sleep(chance.random() / 4)
                gateway.kill()
                await gateway.start()
                await wait_until(
                    lambda had=had: all(
                        follower.connections > before
                        for follower, before in zip(everybody, had, strict=True)
                    ),
                    60,
                )
            await cancel_and_wait(talking)
            head = (await bus.info("s")).head
            await wait_until(lambda: all(follower.heard[-1] >= head for follower in everybody))
        finally:
            await cancel_and_wait(talking, *following)
            code = gateway.stop()
    assert all(follower.heard == list(range(1, head + 1)) for follower in everybody)
    assert head > 40
    assert code == 0


async def _talk(bus: Bus) -> None:
    """Somebody says something, thirty times a second."""
    first = 31
    while True:
        await discuss(bus, "s", 1, first=first)
        first += 1
        await asyncio.sleep(1 / 30)


async def test_a_vote_that_its_server_did_not_live_to_count_is_counted_by_a_worker(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    """No door is asked for the session again; one result lands."""
    gateway = Gateway(redis_server.url, tmp_path)
    async with await Bus.connect(redis_server.url) as bus:
        await discuss(bus, "s", 5, vote={"seconds": 3_000})
        await gateway.start()
        token = {"Authorization": f"Bearer {gateway.token('ana')}"}
        base = f"http://127.0.0.1:{gateway.port}/v1/sessions/s"
        async with httpx2.AsyncClient(headers=token, timeout=30) as client:
            called = await client.post(f"{base}/votes", json={"question": "Is it?"})
        gateway.kill()
        assert (called.status_code, called.json()["status"]) == (201, "open")
        await bus.restore("s", past(await whole(bus, "s")), replace=True)
        assert await _outcomes(bus) == []
        with Crew(redis_server, tmp_path, folders=1, runners=0):
            await wait_until(lambda: _outcomes(bus), 60)
        assert await _outcomes(bus) == ["short"]


async def _outcomes(bus: Bus) -> list[str]:
    """What became of the votes, by the results in the log."""
    _, facts = replayed(await whole(bus, "s"))
    assert sum(fact.kind == "vote.refused" for fact in facts) == 0
    return [str(fact.data["status"]) for fact in facts if fact.kind == "vote.closed"]
