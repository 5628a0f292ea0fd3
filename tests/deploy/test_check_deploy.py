"""What `make check-deploy` catches: each planted mistake is named, the rest is clean."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def checked(deploy: Path) -> tuple[int, str]:
    """The exit status of the check on `deploy`, and what it complained of."""
    command = [sys.executable, ROOT / "deploy" / "check.py", deploy]
    said = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return said.returncode, said.stderr


@pytest.fixture
def deploy(tmp_path: Path) -> Path:
    """A copy of deploy/ to plant mistakes in."""
    return Path(shutil.copytree(ROOT / "deploy", tmp_path / "deploy"))


def plant(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_what_we_ship_is_clean() -> None:
    """The shipped files pass, so a complaint below is about the planted mistake."""
    assert checked(ROOT / "deploy") == (0, "")


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("Dockerfile", "python:3.12.12-slim-bookworm", "python", "pin 'python'"),
        ("Dockerfile", "USER 10001:10001", "USER root", "runs as 'root'"),
        ("Dockerfile", "USER 10001:10001\n", "", "runs as 'root'"),
        ("compose.yaml", "stop_grace_period", "stop_grace_periods", "stop_grace_periods"),
        ("compose.yaml", "command: [worker]", "command: [wroker]", "wroker"),
        ("compose.yaml", "volumes: [redis-data:/data]\n", "\n", "no volume"),
        ("redis/redis.conf", "appendfsync everysec", "appendfsink everysec", "appendfsink"),
        ("redis/redis.conf", "appendonly yes", "appendonly no", "appendonly is 'no'"),
        ("redis/redis.conf", "noeviction", "allkeys-lru", "maxmemory-policy is 'allkeys-lru'"),
        ("defaults.env", "PARLEY_REDIS=", "PARLEY_REDDIS=", "PARLEY_REDDIS"),
        ("redis/entrypoint.sh", "\nfi\n", "\n", "sh: "),
    ],
)
def test_planted_mistake_is_named(deploy: Path, file: str, old: str, new: str, named: str) -> None:
    """Each mistake alone makes the check fail, with a line that says what is wrong."""
    plant(deploy / file, old, new)
    status, complaints = checked(deploy)
    assert status == 1
    assert named in complaints
