"""Two builds of the fold side by side, restarted by turns under load: an upgrade and back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
import redis
from anyio import to_thread

from parley.bus import Bus
from parley.bus.contract.keys import Keys
from parley.listeners.cache.fold_build import fold_build
from parley.listeners.workers.effect_runner import EffectRunner
from parley.memory.fold.canonical_bytes import dump
from parley.memory.state.memory import FOLD
from tests.faults.language import PACKS, opened
from tests.faults.oracle import ALONE, Rows
from tests.faults.test_cluster import Publisher, verdict_of
from tests.faults.test_kills import talk
from tests.support.processes.own_code import OWN_CODE
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.servers.servers import RedisServer, StartServer
from tests.support.sessions.sessions import replayed, running

ROOT = Path(__file__).resolve().parents[2]
SESSIONS, MOST = ("s1", "s2"), 4_000


class LastingPublisher(Publisher):
    """Says one message after the other until it is told to stop."""

    async def speak_until(self, stop: anyio.Event) -> None:
        await self._persist(lambda: self.bus.open(self.session, opened()))
        drafts = list(self.expected.drafts)
        self.expected.drafts = said = []
        for draft in drafts:
            (receipt,) = await self._persist(lambda: self.bus.publish(self.session, [draft]))  # noqa: B023 - awaited here
            said.append(draft)
            self.expected.receipts[draft.id] = receipt.seq
            if stop.is_set():
                return
            await anyio.sleep(0.05)
        raise AssertionError("all was said before the last restart")


class Folders:
    """Processes that fold, each by a build of its own."""

    def __init__(self, url: str, folder: Path) -> None:
        self._options: dict[str, Any] = {
            "url": url, "lane": "fold", "lease_ms": 2000, "batch": 5, "without": {}, "planted": "",
            "model": "", "up": str(folder), "snapshot_tail": 1,
        }  # fmt: skip
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self, fold: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.faults.worker",
                   json.dumps({**self._options, "fold": fold})]  # fmt: skip
        worker = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL,
                                  env={**os.environ, "PYTHONPATH": OWN_CODE})  # fmt: skip
        self.running.append(worker)
        return worker

    async def start_beside(self, fold: str) -> subprocess.Popen[bytes]:
        """The same, once it has begun to work."""
        worker = self.start(fold)
        up = Path(self._options["up"]) / str(worker.pid)
        await wait_until(up.exists)
        return worker

    async def end(self, worker: subprocess.Popen[bytes]) -> None:
        """Have it drain."""
        worker.send_signal(signal.SIGTERM)
        assert await to_thread.run_sync(worker.wait, PATIENCE) == 0


@contextmanager
def folding(url: str, folder: Path) -> Iterator[Folders]:
    folders = Folders(url, folder)
    try:
        yield folders
    finally:
        for worker in folders.running:
            worker.kill()
            worker.wait()


@pytest.mark.parametrize("other", [f"{FOLD}-another", f"{int(FOLD) + 1}-another"])
async def test_workers_of_two_builds_are_restarted_by_turns(
    other: str, start_server: StartServer, tmp_path: Path
) -> None:
    """Nothing is lost, each drains in order, and each build's memory is its own replay."""
    server = start_server(aof="everysec")
    stop = anyio.Event()
    with folding(server.url, tmp_path) as folders:
        async with (
            await Bus.connect(server.url) as bus,
            running(EffectRunner(bus, PACKS, None, "effects")),
        ):
            publishers = [
                LastingPublisher(bus, name, talk(k, MOST)) for k, name in enumerate(SESSIONS, 1)
            ]
            async with anyio.create_task_group() as speakers:
                for publisher in publishers:
                    speakers.start_soon(publisher.speak_until, stop)
                old = folders.start(other)
                await goes_on(server, other)
                new = await folders.start_beside("")
                await folders.end(old)
                await goes_on(server, fold_build())
                old = await folders.start_beside(other)
                await folders.end(new)
                await goes_on(server, other)
                stop.set()
            expected = {each.session: each.expected for each in publishers}
            with server.client() as client:
                verdict = await to_thread.run_sync(verdict_of, client, expected, ALONE)
                assert verdict.findings == []
                assert verdict.set_aside == 0
                for session in SESSIONS:
                    assert builds_that_replay(client, session, other) == {fold_build(), other}
        assert old.poll() is None


async def goes_on(server: RedisServer, build: str) -> None:
    """Waits until more is folded by that build than when this was called."""
    before = _folded(server, build)
    await wait_until(lambda: _folded(server, build) > before)


def _folded(server: RedisServer, build: str) -> int:
    with server.client() as client:
        ask: Any = client
        keys = (Keys(1).of(session).memory(build) for session in SESSIONS)
        return sum(int(ask.hget(key, "upto") or 0) for key in keys)


def builds_that_replay(client: redis.Redis, session: str, other: str) -> set[str]:
    """The builds whose stored memory is what the log comes to as far as it goes."""
    rows, keys = Rows(client, session), Keys(1).of(session)
    ask: Any = client
    right: set[str] = set()
    for build in (fold_build(), other):
        stored: dict[bytes, bytes] = ask.hgetall(keys.memory(build))
        memory, _ = replayed([each for each in rows.records if each.seq <= int(stored[b"upto"])])
        data, own = zlib.decompress(stored[b"bytes"]), f'"fold":"{FOLD}"'.encode()
        assert dump(memory).count(own) == 1
        version = build.partition("-")[0]
        if dump(memory).replace(own, f'"fold":"{version}"'.encode()) == data:
            right.add(build)
    return right
