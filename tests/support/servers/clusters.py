"""A Redis Cluster and a primary under Sentinels, on loopback, for tests.

Every server is a `RedisServer` with ports of its own that stay reserved while it is down, so
that it may be killed and started again on them.
"""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import pytest
import redis

from parley.bus.embedded.server_process import launch
from tests.support.servers.ports import reserved
from tests.support.servers.servers import Flavour, RedisServer, path_binary

SLOTS: Final = 16384
NEWEST_COMMANDS: Final = (7, 0)  # ADDSLOTSRANGE, cluster-port
SECONDS: Final = 60.0  # for a cluster to agree, on a machine that others keep busy


def _has_cluster() -> bool:
    return path_binary() is not None and RedisServer("path").version >= NEWEST_COMMANDS


needs_cluster = pytest.mark.skipif(not _has_cluster(), reason="no redis-server 7 on PATH")


class Reserved:
    """Ports that stay one's own."""

    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []

    def port(self) -> int:
        while True:
            reservation = reserved()
            self._sockets.append(reservation)
            number = int(reservation.getsockname()[1])
            if number < 55_000:  # Redis wants room above it
                return number

    def close(self) -> None:
        for reservation in self._sockets:
            reservation.close()


class ClusterServers:
    """`primaries` servers with a share of the slots each, and `replicas` for each of them."""

    def __init__(
        self, primaries: int = 3, replicas: int = 0, *, flavour: Flavour = "path",
        node_timeout_ms: int = 2000,
    ) -> None:  # fmt: skip
        self._reserved = Reserved()
        self.primaries = primaries
        self.nodes: list[RedisServer] = []
        self.ports: list[int] = []
        for _ in range(primaries * (1 + replicas)):
            port = self._reserved.port()
            options = {
                "port": str(port), "bind": "127.0.0.1", "cluster-enabled": "yes",
                "cluster-config-file": "nodes.conf", "cluster-port": str(self._reserved.port()),
                "cluster-node-timeout": str(node_timeout_ms),
                "cluster-require-full-coverage": "no", "repl-diskless-sync-delay": "0",
                "cluster-replica-validity-factor": "0",
            }  # fmt: skip
            self.ports.append(port)
            self.nodes.append(RedisServer(flavour, aof="always", options=options))

    def __enter__(self) -> Self:
        for node in self.nodes:
            node.start()
        self._found()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        for node in self.nodes:
            node.remove()
        self._reserved.close()

    @property
    def url(self) -> str:
        """One address: the others are learned from it."""
        return f"redis://127.0.0.1:{self.ports[0]}"

    @property
    def urls(self) -> str:
        """All addresses in one."""
        return "redis://" + ",".join(f"127.0.0.1:{port}" for port in self.ports)

    def ask(self, number: int, *words: Any) -> Any:
        """What node `number` answers."""
        with redis.Redis(port=self.ports[number], socket_timeout=SECONDS) as client:
            return client.execute_command(*words)

    def name(self, number: int) -> str:
        """The cluster's own id of a node."""
        return _text(self.ask(number, "CLUSTER", "MYID"))

    def owner(self, slot: int) -> int:
        """The node that has `slot`, as node 0 or the next that answers sees it."""
        for number, node in enumerate(self.nodes):
            if node._process is not None:
                for first, last, primary, *_ in self.ask(number, "CLUSTER", "SLOTS"):
                    if first <= slot <= last:
                        return self.ports.index(int(primary[1]))
        raise AssertionError(f"nobody has slot {slot}")

    def migrate(
        self, slot: int, to: int, *, pause: Callable[[], None] | None = None, at_once: int = 1
    ) -> None:
        """Moves a slot, `at_once` keys at a time; `redis-cli --cluster reshard` moves 10."""
        begin = self.owner(slot)
        names = {number: self.name(number) for number in (begin, to)}
        self.ask(to, "CLUSTER", "SETSLOT", slot, "IMPORTING", names[begin])
        self.ask(begin, "CLUSTER", "SETSLOT", slot, "MIGRATING", names[to])
        while keys := self.ask(begin, "CLUSTER", "GETKEYSINSLOT", slot, at_once):
            place = ("127.0.0.1", self.ports[to], "", 0, 5000)
            self.ask(begin, "MIGRATE", *place, "KEYS", *keys)
            if pause is not None:
                pause()
        for number in (to, begin):
            self.ask(number, "CLUSTER", "SETSLOT", slot, "NODE", names[to])
        wait_for(lambda: self.owner(slot) == to, "the others do not hear of the move")

    def _found(self) -> None:
        share = -(-SLOTS // self.primaries)
        for number in range(self.primaries):
            last = min(SLOTS, (number + 1) * share) - 1
            self.ask(number, "CLUSTER", "ADDSLOTSRANGE", number * share, last)
            self.ask(number, "CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        for number in range(1, len(self.nodes)):
            bus = self.nodes[0].options["cluster-port"]
            self.ask(number, "CLUSTER", "MEET", "127.0.0.1", self.ports[0], bus)
        wait_for(self._agree, "the nodes do not know each other")
        for number in range(self.primaries, len(self.nodes)):
            self.ask(number, "CLUSTER", "REPLICATE", self.name(number % self.primaries))
        wait_for(self.is_whole, "the cluster is not whole")

    def _agree(self) -> bool:
        known = [_text(self.ask(n, "CLUSTER", "NODES")) for n in range(len(self.nodes))]
        return all(len(nodes.splitlines()) == len(self.nodes) for nodes in known)

    def is_whole(self) -> bool:
        """Whether every node is up, sees all slots covered, and has its replicas linked."""
        for number in range(len(self.nodes)):
            if "cluster_state:ok" not in _text(self.ask(number, "CLUSTER", "INFO")):
                return False
            facts = _text(self.ask(number, "INFO", "replication"))
            if "role:slave" in facts and "master_link_status:up" not in facts:
                return False
        slots = self.ask(0, "CLUSTER", "SLOTS")
        replicas = len(self.nodes) // self.primaries - 1
        covered = sum(last - first + 1 for first, last, *_ in slots)
        return covered == SLOTS and all(len(row) >= 3 + replicas for row in slots)


class SentinelServers:
    """A primary and a replica, watched by three Sentinels that call the primary `main`."""

    def __init__(self, flavour: Flavour = "path", *, down_ms: int = 1000) -> None:
        self._reserved = Reserved()
        self.ports = [self._reserved.port() for _ in range(2)]
        self._down_ms = down_ms
        self.nodes = [
            RedisServer(flavour, aof="always", options={
                "port": str(port), "bind": "127.0.0.1", "repl-diskless-sync-delay": "0",
            })
            for port in self.ports
        ]  # fmt: skip
        self._sentinels: list[subprocess.Popen[bytes]] = []
        self._sentinel_ports = [self._reserved.port() for _ in range(3)]

    def __enter__(self) -> Self:
        for node in self.nodes:
            node.start()
        self.ask(self.ports[1], "REPLICAOF", "127.0.0.1", self.ports[0])
        wait_for(lambda: self.is_followed_by(1), "the replica does not follow")
        for port in self._sentinel_ports:
            self._watch(port, self.nodes[0].dir)
        wait_for(self._agree, "the Sentinels do not know each other")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        for process in self._sentinels:
            process.kill()
            process.communicate()  # which closes what watched over it too
        for node in self.nodes:
            node.remove()
        self._reserved.close()

    @property
    def url(self) -> str:
        hosts = ",".join(f"127.0.0.1:{port}" for port in self._sentinel_ports)
        return f"redis+sentinel://{hosts}/main"

    def ask(self, port: int, *words: Any) -> Any:
        with redis.Redis(port=port, socket_timeout=SECONDS) as client:
            return client.execute_command(*words)

    def primary(self) -> int:
        """The number of the node that the first Sentinel calls the primary."""
        command = ("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main")
        _, port = self.ask(self._sentinel_ports[0], *command)
        return self.ports.index(int(port))

    def is_followed_by(self, number: int) -> bool:
        """Whether node `number` has all that the primary has: the Sentinels made it a replica."""
        facts = _text(self.ask(self.ports[number], "INFO", "replication"))
        return "role:slave" in facts and "master_link_status:up" in facts

    def _watch(self, port: int, folder: Path) -> None:
        file = folder / f"sentinel-{port}.conf"
        file.write_text(
            f"port {port}\nbind 127.0.0.1\ndir {folder}\n"
            f"sentinel monitor main 127.0.0.1 {self.ports[0]} 2\n"
            f"sentinel down-after-milliseconds main {self._down_ms}\n"
            "sentinel failover-timeout main 5000\n"
        )
        log = (folder / f"sentinel-{port}.log").open("ab")
        command = [self.nodes[0].binary, str(file), "--sentinel"]
        with log:
            self._sentinels.append(launch(command, stdout=log, stderr=log))

    def _agree(self) -> bool:
        try:
            for port in self._sentinel_ports:
                rows = self.ask(port, "SENTINEL", "SENTINELS", "main")
                replicas = self.ask(port, "SENTINEL", "REPLICAS", "main")
                if len(rows) != 2 or len(replicas) != 1:
                    return False
        except redis.ConnectionError:
            return False
        return True


def wait_for(holds: Callable[[], bool], complaint: str) -> None:
    """Blocks until `holds` does."""
    deadline, pause = time.monotonic() + SECONDS, threading.Event()
    while not holds():
        assert time.monotonic() < deadline, complaint
        pause.wait(0.05)


def _text(reply: Any) -> str:
    if isinstance(reply, dict):
        return "\n".join(f"{key}:{value}" for key, value in reply.items())
    return reply.decode() if isinstance(reply, bytes) else str(reply)
