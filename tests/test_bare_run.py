"""`.ci/bare` runs a command as on a machine with Python, pip and make alone."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
BARE: Final = ROOT / ".ci" / "bare"

pytestmark = pytest.mark.skipif(not shutil.which("dpkg-query"), reason="needs dpkg-query")


def bare(script: str, **env: str) -> list[str]:
    """The lines that a shell script prints in a bare environment."""
    ran = subprocess.run(
        [BARE, "sh", "-c", script],
        capture_output=True, text=True, check=True, env={**os.environ, **env},
    )  # fmt: skip
    return ran.stdout.splitlines()


def test_a_bare_run_reaches_python_make_and_git_alone() -> None:
    """And the programs of a slim Debian image: no server, browser, Node or compiler."""
    wanted = ("python3", "make", "git", "sed", "grep", "find")
    absent = ("redis-server", "valkey-server", "chromium", "node", "npm", "curl", "gcc", "uv")
    script = "for name in {}; do command -v $name >/dev/null && echo $name; done; true"
    assert bare(script.format(" ".join((*wanted, *absent)))) == list(wanted)


def test_a_bare_run_keeps_home_and_the_settings_of_pip_alone() -> None:
    """Whatever else the environment of the caller holds."""
    lines = bare("env", PIP_TIMEOUT="7", PARLEY_REDIS="redis://127.0.0.1:1", CI="true")
    assert {"PIP_TIMEOUT=7", "CI=true", f"HOME={os.environ['HOME']}"} <= {*lines}
    assert not any(line.startswith("PARLEY_REDIS") for line in lines)
