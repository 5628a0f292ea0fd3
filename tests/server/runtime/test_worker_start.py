"""A lane is compiled before its watchdog begins to count, and ends with its parent."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from parley.bus import Bus
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.servers.servers import RedisServer

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import os, signal, sys
from parley.listeners.workers import worker
from parley.memory.extraction.patterns.regular_expressions import compile_kept
from parley.server.runtime.packs import compile_packs, read_packs
from parley.server.runtime.worker import run_worker
from parley.server.settings import Settings

watch_loop = worker.watch_loop

def watch_and_tell(seconds):
    before = compile_kept.cache_info().misses
    compile_packs(read_packs())
    print(before, compile_kept.cache_info().misses - before, flush=True)
    os.kill(os.getpid(), signal.SIGTERM)
    return watch_loop(seconds)

worker.watch_loop = watch_and_tell
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
run_worker(Settings(redis=sys.argv[1]), "fold")
"""
OF_BOTH_LANES = """
import json, os, sys
from parley.bus.connection.event_log import EventLog
from parley.memory.extraction.patterns.regular_expressions import compile_kept
from parley.server.runtime.worker import run_worker
from parley.server.settings import Settings

def tell(log, event, **_):
    new, misses = sorted({*sys.modules} - loaded), compile_kept.cache_info().misses
    row = {"pid": os.getpid(), "compiled": misses - compiled, "new": new}
    os.write(1, json.dumps(row).encode() + b"\\n")

def note():
    global loaded, compiled
    loaded, compiled = {*sys.modules}, compile_kept.cache_info().misses

os.register_at_fork(before=note)
EventLog.info = tell
raise SystemExit(run_worker(Settings(redis=sys.argv[1]), "all"))
"""


FIRST_LETTER_BEYOND_ASCII = """
import time
from parley.bus.entries import Message, Record, SessionOpened
from parley.memory.fold.apply import apply
from parley.memory.state.memory import Memory
from parley.server.runtime.packs import compile_packs, read_packs

began, packs = time.thread_time(), read_packs()
compile_packs(packs)
compiling, memory = time.thread_time() - began, Memory(packs.known)
apply(memory, Record(1, 0, "open", 0, SessionOpened(packs=packs.opening)))
began = time.thread_time()
apply(memory, Record(2, 1, "m1", 0, Message(participant="ana", content="Señor, 灯。")))
print((time.thread_time() - began) / compiling)
"""


def test_no_message_waits_for_the_patterns_of_a_language() -> None:
    """Those of other languages, which the first letter beyond ASCII asks for, are there too."""
    done = subprocess.run(
        [sys.executable, "-c", FIRST_LETTER_BEYOND_ASCII],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True, text=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    assert float(done.stdout) < 0.1


def test_nothing_is_left_to_compile_when_the_watchdog_begins(redis_url: str) -> None:
    """Patterns were compiled by then, and a message of a new session needs no other."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, redis_url],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.stdout, done.stderr
    compiled, missing = map(int, done.stdout.split())
    assert compiled > 0
    assert missing == 0


def test_lanes_share_what_their_parent_has_imported_and_compiled(redis_url: str) -> None:
    """Each imports next to nothing before it serves, and compiles nothing."""
    with subprocess.Popen(
        [sys.executable, "-c", OF_BOTH_LANES, redis_url],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE, text=True,
    ) as parent:  # fmt: skip
        assert parent.stdout
        served = [json.loads(parent.stdout.readline()) for _ in range(2)]
        parent.terminate()
    assert parent.returncode == 0
    assert len({row["pid"] for row in served} | {parent.pid}) == 3
    for row in served:
        assert row["compiled"] == 0
        assert len(row["new"]) <= 5, row["new"]


@asynccontextmanager
async def _worker(*arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """`parley worker`, ended and waited for on leaving."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PARLEY_")
    }
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parley", "worker", *arguments,
        cwd=ROOT, env={**environment, "PYTHONPATH": str(ROOT / "src")},
        stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield child
    finally:
        if child.returncode is None:
            child.terminate()
        await asyncio.wait_for(child.wait(), PATIENCE)


async def _pids(bus: Bus) -> dict[str, int]:
    return {worker.lanes[0]: worker.pid for worker in await bus.workers()}


async def test_lanes_end_with_a_parent_that_is_killed(redis_url: str) -> None:
    """In order: what is in hand is finished, and the list of workers is empty."""
    async with await Bus.connect(redis_url) as bus, _worker("--redis", redis_url) as parent:

        async def both_serve() -> bool:
            return len(await _pids(bus)) == 2

        async def none_is_listed() -> bool:
            return await bus.workers() == []

        await wait_until(both_serve)
        pids = await _pids(bus)
        parent.send_signal(signal.SIGKILL)
        await wait_until(none_is_listed)
        for pid in pids.values():
            await wait_until(lambda pid=pid: not _lives(pid))


async def test_a_lane_that_begins_while_redis_is_away_waits_for_it(
    redis_server: RedisServer,
) -> None:
    """For ten seconds the worker lives, and both lanes serve once Redis is back."""
    url = redis_server.url
    async with await Bus.connect(url) as bus, _worker("--redis", url) as parent:

        async def both_serve() -> bool:
            return len(await _pids(bus)) == 2

        async def both_serve_anew() -> bool:
            pids = await _pids(bus)
            return len(pids) == 2 and pids["fold"] != before["fold"]

        await wait_until(both_serve)
        before = await _pids(bus)
        redis_server.kill9()
        os.kill(before["fold"], signal.SIGKILL)
        try:
            back = time.monotonic() + 10
            await wait_until(lambda: parent.returncode is not None or time.monotonic() > back)
            assert parent.returncode is None
        finally:
            redis_server.start()
        await wait_until(both_serve_anew)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"


async def test_a_worker_without_an_address_serves_on_a_server_of_its_own(
    tmp_path: Path,
) -> None:
    """Both lanes at the one address; SIGTERM drains them, and then ends the server."""
    record = tmp_path / "server.json"
    async with _worker("--data", str(tmp_path)) as worker:
        await wait_until(record.exists)
        url = json.loads(record.read_text())["url"]
        async with await Bus.connect(url) as bus:

            async def both_serve() -> bool:
                return len(await _pids(bus)) == 2

            await wait_until(both_serve)
        worker.terminate()
        assert await asyncio.wait_for(worker.wait(), PATIENCE) == 0
    assert not record.exists()


def test_a_server_that_does_not_answer_is_refused_once(tmp_path: Path) -> None:
    """In one line and at once, not by each lane again and again."""
    done = subprocess.run(
        [sys.executable, "-m", "parley", "worker", "--redis", f"unix://{tmp_path}/none.sock"],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
