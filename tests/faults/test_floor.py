"""Law 18 under fire: agents and arbiters in processes of their own, killed at random."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Any

import pytest

from parley.bus import Bus
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS
from tests.support.servers.patience import PATIENCE
from tests.support.servers.servers import RedisServer
from tests.support.sessions.rooms import (
    commits_by_epoch,
    crowd,
    granted,
    log_of,
    opened,
    publish_message,
    settings,
    spend_by_prefix,
)

NAMES = [f"agent-{i:02d}" for i in range(20)]
BUDGET = 400_000


@pytest.mark.parametrize(
    ("seed", "turns", "processes"),
    [(1, 18, 3), *(pytest.param(s, 60, 4, marks=pytest.mark.long) for s in (2, 3, 4))],
)
async def test_kills_at_random_break_no_law_of_the_floor(
    redis_server: RedisServer, seed: int, turns: int, processes: int
) -> None:
    """No two commits in one epoch, spend within the budget, and an end with a reason."""
    tree = settings(
        {"any": [{"turns": turns}, {"quiescent": True}, {"seconds": 150}]},
        floor={"hops_hard": 0, "hops_soft": 0, "lease_ms": 1_500},
        budget={"tokens": BUDGET},
    )
    chance = random.Random(seed)
    async with await Bus.connect(redis_server.url) as bus:
        await opened(bus, "fire", tree)
        with crowd(redis_server.url, "fire", NAMES, "moody", processes, seed=seed,
                   seconds=0.05) as host:  # fmt: skip
            await publish_message(bus, "fire", "host", "Which way shall we go?")
            log = await _until_closed(bus, host, chance)
    last: Any = log[-1].entry
    assert host.kills >= 2
    assert last.kind == "session.closed"
    assert last.reason in ("turns", "quiescent", "seconds", "budget")
    assert all(len(who) == 1 for who in commits_by_epoch(log).values())
    assert max(spend_by_prefix(granted(log))) <= BUDGET
    assert last.totals["turns"] == sum(map(len, commits_by_epoch(log).values()))


async def test_the_death_of_who_holds_the_floor_frees_it(redis_server: RedisServer) -> None:
    """Its lease ends, somebody else is granted the floor, and the talk goes on to its end."""
    tree = settings({"turns": 6}, floor={"hops_hard": 0, "lease_ms": 1_000})
    async with await Bus.connect(redis_server.url) as bus:
        await opened(bus, "holder", tree)
        with crowd(redis_server.url, "holder", ["ann", "bob", "cyd"], "eager", 3,
                   seconds=0.3) as host:  # fmt: skip
            await publish_message(bus, "holder", "host", "Begin.")
            killed = 0
            deadline = time.monotonic() + 2 * PATIENCE
            while (await bus.info("holder")).status == "open":
                assert time.monotonic() < deadline
                holder = _holder(await log_of(bus, "holder"))
                if holder and killed < 2:
                    host.kill_host_of(holder)
                    killed += 1
                    await asyncio.sleep(1.0)
                await asyncio.sleep(0.02)
            log = await log_of(bus, "holder")
    assert killed == 2
    last: Any = log[-1].entry
    assert last.reason == "turns"
    assert all(len(who) == 1 for who in commits_by_epoch(log).values())


async def _until_closed(bus: Bus, host: Any, chance: random.Random) -> list[Any]:
    deadline = time.monotonic() + 2 * PATIENCE
    while (await bus.info("fire")).status == "open":
        assert time.monotonic() < deadline, "the session did not end"
        await asyncio.sleep(chance.uniform(0.3, 1.5))
        if host.kills < 12:
            host.kill_host()
    return await log_of(bus, "fire")


def _holder(log: list[Any]) -> str:
    memory = fold_records(Memory(PACKS), log)
    return memory.floor.holder
