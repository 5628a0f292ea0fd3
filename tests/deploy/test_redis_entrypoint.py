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
from redis.backoff import NoBackoff
from redis.retry import Retry

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
    secrets = data / "secrets"
    secrets.mkdir(exist_ok=True)
    (secrets / "redis_operator").write_text("s3cret\n")
    (secrets / "redis_reader").write_text("r3ading")
    environment = {
        **os.environ,
        "REDIS_DATA": str(data),
        "REDIS_CONFIG": str(DEPLOY / "redis.conf"),
        "REDIS_SECRETS": str(secrets),
        "REDIS_USERS": str(DEPLOY / "users.acl"),
    }
    arguments = ["--port", "0", "--unixsocket", str(data / "s"), "--appendfsync", "always"]
    with (data / "log").open("ab") as log:
        process = subprocess.Popen(
            [DEPLOY / "entrypoint.sh", *arguments], env=environment, stdout=log, stderr=log
        )
    processes.append(process)
    client = redis.Redis(unix_socket_path=str(data / "s"), username="operator", password="s3cret")

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


async def test_users_log_in_by_their_secrets_alone(
    data: Path, processes: list[subprocess.Popen[bytes]]
) -> None:
    """A user without a secret cannot, nor anybody without a name; the health check can."""
    process, client = await started(data, processes)
    assert client.acl_whoami() in (b"operator", "operator")
    for name, password in (("worker", "s3cret"), ("worker", ""), (None, None), (None, "s3cret")):
        with (
            redis.Redis(
                unix_socket_path=str(data / "s"),
                username=name,
                password=password,
                retry=Retry(NoBackoff(), 0),
            ) as other,
            pytest.raises(redis.AuthenticationError),
        ):
            other.ping()
    healthy = {**os.environ, "REDIS_SECRETS": str(data / "secrets")}
    command = [str(DEPLOY / "health.sh"), "-s", str(data / "s")]
    ran = subprocess.run(command, env=healthy, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.strip()) == (0, "PONG"), ran.stderr
    (data / "secrets" / "redis_reader").write_text("another")
    ran = subprocess.run(command, env=healthy, capture_output=True, text=True, check=False)
    assert ran.returncode != 0
    assert "s3cret" not in Path(f"/proc/{process.pid}/cmdline").read_text()


def test_it_does_not_start_without_any_secret(tmp_path: Path) -> None:
    environment = {
        **os.environ, "REDIS_DATA": str(tmp_path), "REDIS_SECRETS": str(tmp_path),
        "REDIS_USERS": str(DEPLOY / "users.acl"), "REDIS_CONFIG": str(DEPLOY / "redis.conf"),
    }  # fmt: skip
    ran = subprocess.run(
        [DEPLOY / "entrypoint.sh"], env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert "put secrets such as redis_worker into" in ran.stderr
