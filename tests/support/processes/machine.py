"""What this machine has beside Python: the programs that some tests need, and open files."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Final

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
_PROGRAMS: Final = (BROWSERS, ("node",), ("npm",))
_OPEN: Final = Path("/proc/self/fd")


def browser() -> str | None:
    """The path of a Chromium: that of TEST_CHROMIUM, else the first on PATH."""
    return os.environ.get("TEST_CHROMIUM") or _first(BROWSERS)


@cache
def found_programs() -> tuple[str, ...]:
    """The paths of the browser, Node and npm that tests can reach."""
    found = (browser() if names is BROWSERS else _first(names) for names in _PROGRAMS)
    return tuple(filter(None, found))


def describe_programs() -> list[str]:
    """A line for the header of a test run: each program with its version."""
    lines = [f"{Path(path).name} {_version(path)}" for path in found_programs()]
    return [f"programs: {', '.join(lines) or 'no browser, no node, no npm'}"]


def count_open_files() -> int:
    """How many files this process has open; 0 on a system without /proc."""
    try:
        return len(os.listdir(_OPEN))
    except FileNotFoundError:
        return 0


def _first(names: tuple[str, ...]) -> str | None:
    return next(filter(None, map(shutil.which, names)), None)


def _version(path: str) -> str:
    try:
        ran = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return "does not start"
    return ran.stdout.strip().removeprefix("v")
