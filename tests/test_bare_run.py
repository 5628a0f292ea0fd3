"""`.ci/bare` runs a command as on a machine with Python, pip and make alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
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


LEAK = """
class Knot:
    def __init__(self):
        self.me, self.file = self, open(__file__)

def test_a_leak():
    Knot()

def test_the_next():
    pass
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_an_open_file_is_charged_to_the_test_that_opened_it(tmp_path: Path) -> None:
    """Though it is garbage in a cycle, which is collected at any later time."""
    (tmp_path / "test_leak.py").write_text(LEAK)
    (tmp_path / "conftest.py").write_text("from tests.conftest import _charge_open_files\n")
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", f"--rootdir={tmp_path}"]
    ran = subprocess.run(
        [*command, str(tmp_path)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        env={
            **os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
    )  # fmt: skip
    assert "test_leak.py::test_a_leak" in ran.stdout
    assert "test_the_next" not in ran.stdout
    assert "ResourceWarning" in ran.stdout


@pytest.mark.skipif(not shutil.which("redis-server"), reason="needs a redis-server on PATH")
def test_a_bare_run_that_reaches_a_server_is_refused() -> None:
    """Before the first test."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:anyio", "tests/test_bare_run.py"]
    ran = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT,
        env={**os.environ, "TEST_BARE": "1"},
    )  # fmt: skip
    assert ran.returncode == 4
    assert "a bare run reaches a Redis server" in ran.stderr
