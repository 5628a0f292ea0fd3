"""What each user of deploy/redis/users.acl may do, tried on a real server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from parley.bus import Bus
from parley.bus.contract.drafts import Draft
from parley.bus.contract.errors import Unavailable
from parley.bus.diagnosis.node_reports import read_reports
from parley.bus.diagnosis.roles import ROLES, acl_lines
from parley.bus.entries.messages import Message
from parley.bus.scripts.lua import NAMES, Scripts
from parley.listeners.cache.fold_build import fold_build
from tests.support.logs.logs import opened
from tests.support.processes.own_code import OWN_CODE
from tests.support.servers.patience import wait_until
from tests.support.servers.servers import RedisServer
from tests.support.servers.users import ACL_FILE, USERS, needs_users, password, server_with_users
from tests.support.sessions.sessions import is_settled
from tests.support.sessions.talks import talk

LOG: Final = "parley:{0}:s:a:log"
FACTS: Final = "parley:{0}:s:a:facts"
EVERYBODY: Final = frozenset(USERS)
WRITERS: Final = EVERYBODY - {"reader"}
OPERATOR: Final = frozenset({"operator"})
GATEWAY: Final = OPERATOR | {"gateway"}
WORKER: Final = OPERATOR | {"worker"}

TABLE: Final[dict[tuple[str | int, ...], frozenset[str]]] = {
    ("PING",): EVERYBODY,
    ("INFO",): EVERYBODY,
    ("XRANGE", LOG, "-", "+"): EVERYBODY,
    ("HMGET", "parley:{0}:s:a:meta", "head"): EVERYBODY,
    ("HGET", "parley:{0}:s:a:memory:1", "state"): EVERYBODY,
    ("SUBSCRIBE", "parley:{0}:wake"): EVERYBODY,
    ("XADD", LOG, "*", "entry", "x"): WRITERS,
    ("HSET", "parley:{0}:s:a:meta", "head", 1): WRITERS,
    ("PUBLISH", "parley:{0}:wake", "fold -"): WRITERS,
    ("EVAL", "return redis.call('XLEN', KEYS[1])", 1, LOG): WRITERS,
    ("HSET", "parley:use:{acme}", "bytes", 1): WRITERS,
    ("HSET", "parley:tenants", "acme", "{}"): GATEWAY,
    ("ZADD", "parley:{0}:due:fold", 1, "a"): WRITERS,
    ("ZADD", "parley:{0}:due:effects", 1, "a"): GATEWAY | WORKER,
    ("HSET", "parley:{0}:s:a:memory:1", "state", "x"): GATEWAY | WORKER,
    ("HSET", "parley:workers", "w", "{}"): GATEWAY | WORKER,
    ("HSET", "parley:meta", "buckets", 1): GATEWAY | WORKER,
    ("SET", "parley:{0}:taken:fold:w", "x"): GATEWAY | WORKER,
    ("XTRIM", LOG, "MAXLEN", 100): OPERATOR,
    ("XTRIM", FACTS, "MAXLEN", 100): WORKER,
    ("DEL", FACTS): WORKER,
    ("DEL", LOG): OPERATOR,
    ("SET", LOG, "x"): GATEWAY,
    ("EVAL", "return redis.call('DEL', KEYS[1])", 1, LOG): OPERATOR,
    ("EVAL", "return redis.call('DEL', KEYS[1])", 1, FACTS): WORKER,
    ("HINCRBY", "parley:meta", "repaired_total", 1): WORKER,
    ("SET", "parley:used:ticket", "x"): GATEWAY,
    ("EXPIRE", "parley:{0}:s:a:here", 60): GATEWAY,
    ("RENAME", LOG, "parley:{0}:s:b:log"): GATEWAY,
    ("UNLINK", LOG): GATEWAY,
    ("GET", "another:key"): OPERATOR,
    ("XADD", "another:log", "*", "f", "v"): OPERATOR,
    ("SUBSCRIBE", "another:channel"): OPERATOR,
    ("EVAL", "return redis.call('FLUSHALL')", 0): OPERATOR,
    ("EVAL", "return redis.call('GET', 'another:key')", 0): OPERATOR,
    ("KEYS", "*"): OPERATOR,
    ("SCAN", 0): OPERATOR,
    ("CONFIG", "GET", "*"): OPERATOR,
    ("CONFIG", "SET", "maxclients", 100): OPERATOR,
    ("DEBUG", "SLEEP", 0): OPERATOR,
    ("ACL", "LIST"): OPERATOR,
    ("ACL", "SETUSER", "reader", "+ping"): OPERATOR,
    ("CLIENT", "LIST"): OPERATOR,
    ("SCRIPT", "FLUSH"): OPERATOR,
    ("FUNCTION", "FLUSH"): OPERATOR,
    ("REPLICAOF", "NO", "ONE"): OPERATOR,
    ("BGREWRITEAOF",): OPERATOR,
    ("SWAPDB", 0, 1): OPERATOR,
    ("MONITOR",): OPERATOR,
    ("FLUSHDB",): OPERATOR,
    ("FLUSHALL",): OPERATOR,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    scratch, debug = tmp_path_factory.mktemp("users"), {"enable-debug-command": "yes"}
    with server_with_users(scratch, **debug) as server:  # so that the users decide about it
        yield server


def address(server: RedisServer, user: str, file: Path | None = None) -> str:
    if file is None:
        return f"unix://{user}:{password(user)}@{server.socket}"
    return f"unix://{user}@{server.socket}?password_file={file}"


def is_denied(server: RedisServer, user: str, words: tuple[str | int, ...]) -> bool:
    """Whether the server refuses this user, rather than the command's own sense."""
    kind: Any = redis.UnixDomainSocketConnection  # whose methods redis-py does not type
    connection = kind(path=str(server.socket), username=user, password=password(user), protocol=2)
    try:
        connection.connect()
        connection.send_command(*words)
        connection.read_response()
    except redis.exceptions.NoPermissionError:
        return True
    except redis.ResponseError as error:
        reason = str(error)  # the second from Redis 8 on
        return "executing the script" in reason or "ACL failure in script" in reason
    finally:
        connection.disconnect()
    return False


def test_the_file_has_what_each_role_needs() -> None:
    """And no password: nobody can log in before one is added."""
    assert ACL_FILE.read_text("utf-8").splitlines() == list(acl_lines())
    assert {*ROLES, "operator"} == set(USERS)
    assert not [word for word in ACL_FILE.read_text("utf-8").split() if word[0] in "><#!"]
    assert "nopass" not in ACL_FILE.read_text("utf-8")


@needs_users
@pytest.mark.parametrize("user", USERS)
def test_each_user_may_do_what_its_part_needs(server: RedisServer, user: str) -> None:
    """Each command of the table is run; who is not listed there is refused."""
    denied = {words for words in TABLE if is_denied(server, user, words)}
    assert denied == {words for words in TABLE if user not in TABLE[words]}


@needs_users
def test_nobody_comes_in_without_a_name(server: RedisServer) -> None:
    for given in (None, password("worker")):
        with (
            redis.Redis(
                unix_socket_path=str(server.socket), password=given, retry=Retry(NoBackoff(), 0)
            ) as client,
            pytest.raises(redis.AuthenticationError),
        ):
            client.ping()


@needs_users
async def test_a_publisher_publishes_and_a_reader_reads(
    server: RedisServer, tmp_path: Path
) -> None:
    """On what a gateway began; the doctor finds that no role lacks what it needs."""
    secret = tmp_path / "password"
    secret.write_text(f"{password('publisher')}\n")
    with pytest.raises(Unavailable, match="denies this user"):
        await Bus.connect(address(server, "publisher"))
    async with await Bus.connect(address(server, "gateway")):
        pass
    async with await Bus.connect(address(server, "publisher", secret)) as bus:
        await bus.open("s", opened())
        await bus.publish("s", [Draft("m1", Message(participant="ana", content="Tea."))])
        with pytest.raises(Unavailable, match="denies this user"):
            await bus.remove("s")
    async with await Bus.connect(address(server, "reader")) as bus:
        assert [record.id for record in await bus.read("s")][-1] == "m1"
        with pytest.raises(Unavailable, match="denies this user"):
            await bus.publish("s", [Draft("m2", Message(participant="ana", content="Tea."))])
    for user in USERS:
        assert (await read_reports(address(server, user))).denied == ()
    with pytest.raises(Unavailable, match="cannot be read"):
        await Bus.connect(address(server, "reader", tmp_path / "none"))
    secret.write_text("\n")
    with pytest.raises(Unavailable, match="is empty"):
        await Bus.connect(address(server, "reader", secret))


@needs_users
async def test_a_worker_folds_what_a_publisher_says(server: RedisServer) -> None:
    """Its lanes commit, snapshot and answer; nothing that they call is denied."""
    url = address(server, "worker")
    command = [sys.executable, "-m", "tests.support.processes.worker_process", "all", url]
    environment = {**os.environ, "PYTHONPATH": OWN_CODE}
    async with await Bus.connect(address(server, "gateway")) as bus:
        await talk(bus, "worked", 60)
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
            try:
                await wait_until(lambda: is_settled(bus, "worked"))
            finally:
                process.terminate()
        assert process.returncode == 0
        assert await bus.snapshot("worked", fold_build()) is not None


SCRIPTS: Final = {
    "publisher": ("publish", "open", "charge", "index"),
    "worker": (
        "publish", "take", "commit", "finish", "renew", "yield", "drop", "set_aside", "repair",
        "beat", "charge", "shed", "index",
    ),
    "gateway": ("publish", "open", "charge", "mark", "stage", "remove", "restore", "redact"),
}  # fmt: skip


@pytest.mark.parametrize("role", SCRIPTS)
def test_a_role_may_run_each_command_of_its_scripts(role: str) -> None:
    """A script runs with its caller's rights: a command that a role lacks would fail amid work."""
    assert {name for names in SCRIPTS.values() for name in names} == set(NAMES)
    for name in SCRIPTS[role]:
        commands = set(re.findall(r"redis\.p?call\('([A-Z]+)'", Scripts()[name].text))
        assert commands, name
        assert commands <= ROLES[role].commands | ROLES[role].on_caches, name
