"""The servers under the tests do what the tests rely on."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.processes.running import is_running
from tests.support.servers.patience import wait_until
from tests.support.servers.servers import Flavour, RedisServer, StartServer


def test_standing_server_is_empty_and_answers(any_server: RedisServer) -> None:
    """A shared server starts each test without keys."""
    with any_server.client() as client:
        assert client.dbsize() == 0
        client.set("left", "over")


def test_acknowledged_write_survives_kill9(
    every_real_flavour: Flavour, start_server: StartServer
) -> None:
    """With fsync on every write, what was acknowledged is there after a crash and a restart."""
    server = start_server(every_real_flavour, aof="always")
    with server.client() as client:
        client.set("key", "value")
    before = server.pid
    server.kill9()
    server.restart()
    assert server.pid != before
    with server.client() as client:
        assert client.get("key") == b"value"
    assert server.aof_file().stat().st_size > 0


STARTER = """
import sys, time
from tests.support.servers.servers import RedisServer
server = RedisServer(sys.argv[1])
server.start()
print(server.pid, server.dir, flush=True)
time.sleep(3600)
"""


async def test_a_server_ends_with_the_tests_that_started_it(real_flavour: Flavour) -> None:
    """Also where they are killed -9, as a worker of pytest-xdist may be."""
    command = [sys.executable, "-c", STARTER, real_flavour]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout
        pid, folder = starter.stdout.readline().split()
        assert Path(f"/proc/{pid}").exists()
        starter.kill()
    await wait_until(lambda: not is_running(int(pid)))
    shutil.rmtree(folder)


async def test_wait_until_takes_plain_and_async_predicates() -> None:
    """A predicate may be a plain function or a coroutine function."""
    calls: list[int] = []

    async def third_time() -> bool:
        calls.append(1)
        return len(calls) == 3

    await wait_until(third_time)
    await wait_until(lambda: len(calls) == 3)
