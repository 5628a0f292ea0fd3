"""What `make check-deploy` catches: each planted mistake is named, the rest is clean."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from contextlib import redirect_stderr
from pathlib import Path

import pytest

from deploy.check import (
    compose_problems,
    dockerfile_problems,
    environment_problems,
    main,
)
from deploy.redis_configuration import redis_problems

ROOT = Path(__file__).parents[2]


def checked(deploy: Path) -> tuple[int, str]:
    """The exit status of the check on `deploy`, and what it complained of."""
    complaints = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stderr(complaints):
        patch.setattr(sys, "argv", ["check.py", str(deploy)])
        return main(), complaints.getvalue()


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
    command = [sys.executable, "-m", "deploy.check", str(ROOT / "deploy")]
    process = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    complaints = [
        line for line in process.stderr.splitlines() if "no systemd-analyze here" not in line
    ]
    assert (process.returncode, complaints) == (0, [])


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("Dockerfile", "python:3.12.12-slim-bookworm", "python", "pin 'python'"),
        ("Dockerfile", ', "--no-model"', "", "asks the model each time"),
        ("compose.yaml", "stop_grace_period", "stop_grace_periods", "stop_grace_periods"),
        ("redis/redis.conf", "appendfsync everysec", "appendfsink everysec", "appendfsink"),
    ],
)
def test_planted_mistake_fails_the_check(
    deploy: Path, file: str, old: str, new: str, named: str
) -> None:
    """Each mistake alone makes the command fail, with a line that says what is wrong."""
    plant(deploy / file, old, new)
    status, complaints = checked(deploy)
    assert status == 1
    assert named in complaints


@pytest.mark.parametrize(
    ("new", "named"), [("USER root", "runs as 'root'"), ("USER 0:0", "runs as '0'"), ("", "'root'")]
)
def test_an_image_that_runs_as_root_is_named(deploy: Path, new: str, named: str) -> None:
    """Root by name, by number, or because nothing says otherwise."""
    plant(deploy / "Dockerfile", "USER 10001:10001", new)
    (problem,) = dockerfile_problems(deploy / "Dockerfile")
    assert named in problem


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("command: [worker]", "command: [wroker]", "wroker"),
        ("command: [serve,", "command: [sevre,", "sevre"),
        ('"127.0.0.1:8700:8700"', '"8700:8700"', "others than this machine"),
        ("volumes: [redis-data:/data]", "", "no volume"),
        ("cap_drop: [ALL]", "cap_drop: [CHOWN]", "cap_drop"),
        ("command: [worker]", "command: [worker]\n    container_name: one", "container_name"),
        ("command: [worker]", "command: [worker]\n    ports: ['80:80']", "publishes a port"),
        (", --no-model]", "]", "asks the model each time"),
    ],
)
def test_what_the_compose_schema_cannot_see_is_named(
    deploy: Path, old: str, new: str, named: str
) -> None:
    """Commands that do not exist, data in no volume, services that cannot scale."""
    plant(deploy / "compose.yaml", old, new)
    assert named in " ".join(compose_problems(deploy / "compose.yaml"))


def test_a_variable_that_no_setting_reads_is_named(deploy: Path) -> None:
    """A misspelt variable is found before parley refuses to start with it."""
    plant(deploy / "parley.env.example", "PARLEY_MODEL=", "PARLEY_MODLE=")
    (problem,) = environment_problems(deploy / "parley.env.example")
    assert "PARLEY_MODLE" in problem


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("appendonly yes", "appendonly no", "appendonly is 'no'"),
        ("noeviction", "allkeys-lru", "maxmemory-policy is 'allkeys-lru'"),
    ],
)
def test_a_redis_that_would_lose_sessions_is_named(
    deploy: Path, old: str, new: str, named: str
) -> None:
    """A configuration that Redis takes, and that Parley must not run on."""
    plant(deploy / "redis" / "redis.conf", old, new)
    (problem,) = redis_problems(deploy / "redis" / "redis.conf")
    assert named in problem


def test_an_example_that_was_only_copied_is_refused(deploy: Path) -> None:
    """Everybody knows its passwords; the examples themselves may hold them."""
    example = deploy / "parley.env.example"
    assert list(environment_problems(example)) == []
    copied = deploy / "parley.env"
    copied.write_bytes(example.read_bytes())
    first, second, *_ = environment_problems(copied)
    assert "PARLEY_MODEL_KEY is still the one of the example" in first
    assert "PARLEY_SERVE_SECRET is still the one of the example" in second
