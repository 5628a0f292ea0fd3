"""An entry that kills whoever folds it is found, set aside and survived."""

from __future__ import annotations

import asyncio
import signal
import sys
from asyncio.subprocess import Process

from bus import Bus, Draft
from bus.entries import Message
from memory.state import FOLD
from tests.patience import wait_until
from tests.servers import RedisServer
from tests.sessions import discuss, replayed_bytes, thoughts, whole

LEASE_MS = 150


async def deadly(url: str) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.deadly_worker", url, str(LEASE_MS),
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip


async def fold_in_spite_of_deaths(bus: Bus, url: str, sessions: list[str]) -> int:
    """Keep one deadly worker alive until all is folded; how often it died."""
    deaths = 0
    child = await deadly(url)
    try:
        while not await all_folded(bus, sessions):
            if child.returncode is not None:
                assert child.returncode == 9
                deaths += 1
                assert deaths < 40
                child = await deadly(url)
            await asyncio.sleep(0.02)
    finally:
        if child.returncode is None:
            child.send_signal(signal.SIGTERM)
        await child.wait()
    return deaths


async def all_folded(bus: Bus, sessions: list[str]) -> bool:
    return all([info.folded == info.head for info in [await bus.info(s) for s in sessions]])


async def test_poison_is_set_aside_and_nothing_else(any_server: RedisServer) -> None:
    """The deadly entry is skipped by every fold from then on; its neighbours, before and
    after it and in other sessions, are all folded."""
    async with await Bus.connect(any_server.url) as bus:
        await discuss(bus, "ill", 12)
        await bus.publish("ill", [Draft("bad", Message(participant="eve", content="poison"))])
        await discuss(bus, "ill", 8, first=13)
        for name in ("well1", "well2", "well3"):
            await discuss(bus, name, 15)
        deaths = await fold_in_spite_of_deaths(
            bus, any_server.url, ["ill", "well1", "well2", "well3"]
        )
        info = await bus.info("ill")
        assert info.skips == (14,)
        assert 5 <= deaths <= 12
        kinds = [record.entry.kind for record in await whole(bus, "ill")]
        assert kinds.count("entry.set_aside") == 1
        for name in ("well1", "well2", "well3"):
            assert (await bus.info(name)).skips == ()
        snapshot = await bus.snapshot("ill", FOLD)
        assert snapshot is not None
        assert snapshot.data == await replayed_bytes(bus, "ill")


async def test_random_deaths_set_nothing_aside(any_server: RedisServer) -> None:
    """Workers killed at any moment lose time and no entry."""
    names = [f"s{k}" for k in range(6)]
    async with await Bus.connect(any_server.url) as bus:
        for name in names:
            await discuss(bus, name, 1)
        for round in range(6):
            child = await deadly(any_server.url)
            for name in names:
                await bus.publish(name, thoughts(300, 2 + 300 * round))
            before = sum([(await bus.info(name)).folded for name in names])
            await wait_until(lambda least=before: moved(bus, names, least), 10.0)
            child.kill()
            await child.wait()
        assert await fold_in_spite_of_deaths(bus, any_server.url, names) == 0
        for name in names:
            assert (await bus.info(name)).skips == ()
            snapshot = await bus.snapshot(name, FOLD)
            assert snapshot is not None
            assert snapshot.data == await replayed_bytes(bus, name)


async def moved(bus: Bus, names: list[str], least: int) -> bool:
    return sum([(await bus.info(name)).folded for name in names]) > least
