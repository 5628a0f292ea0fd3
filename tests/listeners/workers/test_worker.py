"""Worker processes: they serve, beat, drain on SIGTERM, and are started again when they die."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from parley.bus import Bus
from parley.listeners.cache.fold_build import fold_build
from parley.listeners.cache.memory_reader import MemoryReader
from parley.memory.fold.canonical_bytes import dump
from tests.support.logs.logs import PACKS
from tests.support.servers.fake_openai import FakeOpenAI
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.servers.servers import RedisServer
from tests.support.sessions.sessions import discuss, is_settled, replayed_bytes, standing


@asynccontextmanager
async def process(*arguments: str) -> AsyncIterator[Process]:
    """A worker process; ended and waited for at the latest on leaving. A failure shows its log."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-X", "faulthandler", "-m", "tests.support.processes.worker_process",
        *arguments,
        stdout=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield child
    finally:
        if child.returncode is None:
            child.terminate()
        await asyncio.wait_for(child.wait(), PATIENCE)


async def workers(bus: Bus) -> dict[str, int]:
    """The pid of each worker that is listed, by lane."""
    return {worker.lanes[0]: worker.pid for worker in await bus.workers()}


async def test_a_worker_folds_and_summarises(any_server: RedisServer) -> None:
    """The parent's two children bring a session to rest, and are listed while they live."""
    async with await Bus.connect(any_server.url) as bus:
        await discuss(bus, "a", 80)
        async with process("all", any_server.url) as parent:
            await wait_until(lambda: is_settled(bus, "a"))
            listed = await workers(bus)
            assert set(listed) == {"fold", "effects"}
            assert parent.pid not in listed.values()
            parent.terminate()
            assert await asyncio.wait_for(parent.wait(), PATIENCE) == 0
        assert await workers(bus) == {}
        snapshot = await bus.snapshot("a", fold_build())
        assert snapshot is not None
        assert len(await standing(bus, "a")) == 7
        assert snapshot.upto <= (await bus.info("a")).head


async def test_a_child_that_dies_is_started_again(any_server: RedisServer) -> None:
    """Killing the fold process ends neither the effects process nor the worker."""
    async with (
        await Bus.connect(any_server.url) as bus,
        process("all", any_server.url) as parent,
    ):
        await discuss(bus, "a", 1)
        await wait_until(lambda: both_listed(bus))
        before = await workers(bus)
        os.kill(before["fold"], signal.SIGKILL)
        await wait_until(lambda: replaced(bus, before["fold"]))
        await discuss(bus, "a", 40, first=2)
        await wait_until(lambda: is_settled(bus, "a"))
        assert before["effects"] in [worker.pid for worker in await bus.workers()]
        assert parent.returncode is None
        now = await MemoryReader(bus, PACKS).current("a")
        assert dump(now) == await replayed_bytes(bus, "a")


async def both_listed(bus: Bus) -> bool:
    return set(await workers(bus)) == {"fold", "effects"}


async def replaced(bus: Bus, pid: int) -> bool:
    return any(worker.pid != pid and worker.lanes[0] == "fold" for worker in await bus.workers())


async def test_a_child_that_keeps_dying_ends_the_worker(any_server: RedisServer) -> None:
    """Status 1, so that whoever runs the worker hears of it."""
    async with process("dying", any_server.url) as parent:
        assert await asyncio.wait_for(parent.wait(), PATIENCE) == 1


async def test_sigterm_lets_an_effect_finish(any_server: RedisServer) -> None:
    """A model call under way is waited for, its summary lands, and the status is 0."""
    with FakeOpenAI() as fake:
        fake.fail("silent")
        async with await Bus.connect(any_server.url) as bus:
            await discuss(bus, "a", 12, summary={"how": "model"})
            async with (
                process("fold", any_server.url),
                process("effects", any_server.url, fake.url) as effects,
            ):
                await wait_until(lambda: fake.calls == 1)
                effects.terminate()
                fake.recover()
                assert await asyncio.wait_for(effects.wait(), PATIENCE) == 0
            assert [how for *_, how in await standing(bus, "a")] == ["model"]


async def test_sigterm_hands_back_what_takes_too_long(any_server: RedisServer) -> None:
    """Past its grace a worker lets go: the effect is due at once, untried, for another."""
    with FakeOpenAI() as fake:
        fake.fail("silent")
        async with await Bus.connect(any_server.url) as bus:
            await discuss(bus, "a", 12, summary={"how": "model"})
            async with (
                process("fold", any_server.url),
                process("effects", any_server.url, fake.url) as effects,
            ):
                await wait_until(lambda: fake.calls == 1)
                effects.terminate()
                assert await asyncio.wait_for(effects.wait(), PATIENCE) == 0
            taken = await bus.take("effects", "another", count=9, lease_ms=1_000)
            assert [(claim.member, claim.tries) for claim in taken.claims] == [
                ("a summary:0:1:12", 0)
            ]


async def test_sigterm_leaves_nothing_half_folded(any_server: RedisServer) -> None:
    """A fold process told to stop in the middle of a backlog hands it on; nothing is lost."""
    async with await Bus.connect(any_server.url) as bus:
        for k in range(4):
            await discuss(bus, f"s{k}", 1_500)
        async with process("fold", any_server.url) as first:
            await wait_until(lambda: begun(bus))
            first.terminate()
            assert await asyncio.wait_for(first.wait(), PATIENCE) == 0
        async with process("fold", any_server.url):
            await wait_until(lambda: finished(bus))
        for k in range(4):
            snapshot = await bus.snapshot(f"s{k}", fold_build())
            assert snapshot is not None
            assert snapshot.data == await replayed_bytes(bus, f"s{k}")


async def begun(bus: Bus) -> bool:
    return any([(await bus.info(f"s{k}")).folded for k in range(4)])


async def finished(bus: Bus) -> bool:
    infos = [await bus.info(f"s{k}") for k in range(4)]
    return all(info.folded == info.head for info in infos)
