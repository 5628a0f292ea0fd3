"""An entry that kills whoever folds it is found, set aside and survived."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import Message
from parley.listeners.cache.fold_build import fold_build
from tests.support.servers.patience import wait_until
from tests.support.servers.servers import RedisServer
from tests.support.sessions.sessions import discuss, replayed_bytes, thoughts, whole

LEASE_MS = 150


@asynccontextmanager
async def folders(url: str, story: Path) -> AsyncIterator[None]:
    """While inside, one folder after the other serves; `story` tells of their ends."""
    with story.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.processes.deadly_worker", url, str(LEASE_MS)],
            stdout=out,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            await asyncio.to_thread(process.wait, 20)


def child_events(story: Path) -> list[tuple[str, int]]:
    """("started", pid) and ("ended", status) of every folder so far; its log lines are not that."""
    rows = [line.split() for line in story.read_text().splitlines()]
    return [(row[0], int(row[1])) for row in rows if row and row[0] in {"started", "ended"}]


def ends(story: Path, status: int) -> int:
    """How many folders ended with `status`."""
    return child_events(story).count(("ended", status))


def alive(story: Path) -> int | None:
    """The pid of the folder that serves now."""
    rows = child_events(story)
    return rows[-1][1] if rows and rows[-1][0] == "started" else None


async def all_folded(bus: Bus, sessions: list[str]) -> bool:
    infos = [await bus.info(session) for session in sessions]
    return all(info.folded == info.head for info in infos)


async def test_poison_is_set_aside_and_nothing_else(
    any_server: RedisServer, tmp_path: Path
) -> None:
    """The deadly entry is skipped by every fold from then on; its neighbours, before and
    after it and in other sessions, are all folded."""
    story = tmp_path / "story"
    names = ["ill", "well1", "well2", "well3"]
    async with await Bus.connect(any_server.url) as bus:
        await discuss(bus, "ill", 12)
        await bus.publish("ill", [Draft("bad", Message(participant="eve", content="poison"))])
        await discuss(bus, "ill", 8, first=13)
        for name in names[1:]:
            await discuss(bus, name, 15)
        async with folders(any_server.url, story):
            await wait_until(lambda: all_folded(bus, names))
        assert (await bus.info("ill")).skips == (14,)
        assert 5 <= ends(story, 9) <= 12
        kinds = [record.entry.kind for record in await whole(bus, "ill")]
        assert kinds.count("entry.set_aside") == 1
        for name in names[1:]:
            assert (await bus.info(name)).skips == ()
        snapshot = await bus.snapshot("ill", fold_build())
        assert snapshot is not None
        assert snapshot.data == await replayed_bytes(bus, "ill")


@pytest.mark.parametrize(
    ("sessions", "turns"), [(3, 4), pytest.param(6, 5, marks=pytest.mark.long)]
)
async def test_random_deaths_set_nothing_aside(
    any_server: RedisServer, tmp_path: Path, sessions: int, turns: int
) -> None:
    """Workers killed at any moment lose time and no entry."""
    story = tmp_path / "story"
    names = [f"s{k}" for k in range(sessions)]
    async with await Bus.connect(any_server.url) as bus:
        for name in names:
            await discuss(bus, name, 1)
        async with folders(any_server.url, story):
            for turn in range(turns):
                await wait_until(lambda: alive(story))
                before = sum([(await bus.info(name)).folded for name in names])
                for name in names:
                    await bus.publish(name, thoughts(200, 2 + 200 * turn))
                await wait_until(lambda least=before: moved(bus, names, least))
                if (pid := alive(story)) is not None:
                    os.kill(pid, signal.SIGKILL)
            await wait_until(lambda: all_folded(bus, names))
        assert ends(story, -9) >= 3
        for name in names:
            assert (await bus.info(name)).skips == ()
            snapshot = await bus.snapshot(name, fold_build())
            assert snapshot is not None
            assert snapshot.data == await replayed_bytes(bus, name)


async def moved(bus: Bus, names: list[str], least: int) -> bool:
    return sum([(await bus.info(name)).folded for name in names]) > least
