"""The container's entry point on a torn append-only file: nothing turns into a ghost."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from tests.support.servers.patience import PATIENCE, wait_until

DEPLOY = Path(__file__).parents[2] / "deploy" / "redis"

pytestmark = pytest.mark.skipif(
    not (shutil.which("redis-server") and shutil.which("redis-check-aof")),
    reason="needs redis-server and redis-check-aof on PATH, as in the image",
)


@pytest.fixture
def data() -> Iterator[Path]:
    """A directory whose name is short enough for a unix socket."""
    with tempfile.TemporaryDirectory(prefix="parley-entry-") as place:
        yield Path(place)


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    """What a test started, ended with it however it ends."""
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        process.kill()
        process.wait(timeout=PATIENCE)


async def started(
    data: Path, processes: list[subprocess.Popen[bytes]]
) -> tuple[subprocess.Popen[bytes], redis.Redis]:
    """Redis behind the shipped entry point and configuration, answering."""
    environment = {
        **os.environ,
        "REDIS_DATA": str(data),
        "REDIS_CONFIG": str(DEPLOY / "redis.conf"),
        "REDISCLI_AUTH": "s3cret",
    }
    arguments = ["--port", "0", "--unixsocket", str(data / "s"), "--appendfsync", "always"]
    with (data / "log").open("ab") as log:
        process = subprocess.Popen(
            [DEPLOY / "entrypoint.sh", *arguments], env=environment, stdout=log, stderr=log
        )
    processes.append(process)
    client = redis.Redis(unix_socket_path=str(data / "s"), password="s3cret")

    async def answers() -> bool:
        assert process.poll() is None, (data / "log").read_text(errors="replace")
        try:
            return bool(client.ping())
        except (redis.ConnectionError, redis.exceptions.BusyLoadingError):
            return False

    await wait_until(answers)
    return process, client


def write_both(client: redis.Redis, number: int) -> None:
    """Two writes in one transaction, as a script makes them."""
    with client.pipeline(transaction=True) as pipe:
        pipe.rpush("log", number)
        pipe.set("head", number)
        pipe.execute()


async def test_torn_transaction_leaves_no_ghost(
    data: Path, processes: list[subprocess.Popen[bytes]]
) -> None:
    """Cut inside a transaction, what is written afterwards survives two restarts."""
    process, client = await started(data, processes)
    for number in range(1, 6):
        write_both(client, number)
    process.kill()
    process.wait(timeout=PATIENCE)
    tail = max((data / "appendonlydir").glob("*.incr.aof"))
    whole = tail.read_bytes()
    os.truncate(tail, whole.rindex(b"SET") - 4)  # the last transaction: MULTI, RPUSH, no SET

    process, client = await started(data, processes)
    assert client.lrange("log", 0, -1) == [b"1", b"2", b"3", b"4"]
    write_both(client, 50)
    process.kill()
    process.wait(timeout=PATIENCE)

    process, client = await started(data, processes)
    assert client.lrange("log", 0, -1) == [b"1", b"2", b"3", b"4", b"50"]
    assert client.get("head") == b"50"
    process.terminate()
    assert process.wait(timeout=PATIENCE) == 0
