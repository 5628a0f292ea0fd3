"""What is caught in compose files, users and units that do not fit together."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from deploy.check import refused
from deploy.service_files import reference_problems
from deploy.systemd_units import unit_problems

ROOT = Path(__file__).parents[2]


@pytest.fixture
def deploy(tmp_path: Path) -> Path:
    """A copy of deploy/ to plant mistakes in."""
    return Path(shutil.copytree(ROOT / "deploy", tmp_path / "deploy"))


def plant(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("compose.yaml", "secrets: [redis_worker]", "secrets: []", "/run/secrets/redis_worker"),
        ("compose.yaml", "secrets: [redis_worker]", "secrets: [redis_wroker]", "not declared"),
        ("compose.yaml", "secrets: [metrics_token]", "", "/run/secrets/metrics_token, which"),
        ("compose.yaml", "worker@redis", "wroker@redis", "no user 'wroker'"),
        ("compose.yaml", "worker@redis", "worker:hunter2@redis", "password of worker stands in"),
        ("compose.yaml", "PASSWORD__FILE: /run/secrets/grafana_admin", "PASSWORD: admin", "secret"),
        ("compose.yaml", "./prometheus:", "./promotheus:", "to mount"),
        ("compose.yaml", "path: defaults.env", "path: default.env", "nor an example"),
        ("compose.yaml", "build: redis\n", "build: radis\n", "there is no"),
        ("compose.yaml", "file: secrets/grafana_admin", "environment: ADMIN", "is no file"),
        ("compose.tls.yaml", "secrets: [redis_tls_ca]", "secrets: []", "redis_tls_ca, which"),
        ("secrets.sh", "grafana_admin", "", "does not make 'grafana_admin'"),
        ("redis/users.acl", "user reader on", "user reader on nopass", "'reader' has a password"),
        ("redis/users.acl", "user worker on", "user worker on >hunter2", "'worker' has a password"),
        ("redis/users.acl", "user default off", "user default on", "switch the user default off"),
        ("redis/users.acl", "off allchannels allkeys +@all", "off", "deny default nothing"),
    ],
)
def test_what_is_not_there_is_named(
    deploy: Path, file: str, old: str, new: str, named: str
) -> None:
    """Files, secrets and users that somebody relies on; passwords that stand in a file."""
    assert list(reference_problems(deploy)) == []
    plant(deploy / file, old, new)
    problems = list(reference_problems(deploy))
    assert any(named in problem for problem in problems), problems


def test_secrets_are_made_once_and_are_no_examples(deploy: Path) -> None:
    """Each has 64 characters of chance; what is there already stays."""
    (deploy / "secrets").mkdir()
    (deploy / "secrets" / "redis_worker").write_text("password\n")
    (problem,) = reference_problems(deploy)
    assert "shorter than 20 characters" in problem
    (deploy / "secrets" / "redis_worker").unlink()
    subprocess.run([deploy / "secrets.sh"], check=True)
    made = {file.name: file.read_text() for file in (deploy / "secrets").iterdir()}
    assert len(set(made.values())) == len(made) == 6
    assert {len(words) for words in made.values()} == {64}
    assert (deploy / "secrets").stat().st_mode & 0o777 == 0o700
    subprocess.run([deploy / "secrets.sh"], check=True)
    assert {file.name: file.read_text() for file in (deploy / "secrets").iterdir()} == made
    assert list(reference_problems(deploy)) == []


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("NoNewPrivileges=yes\n", "", "set NoNewPrivileges=yes"),
        ("ProtectSystem=strict", "ProtectSystem=full", "set ProtectSystem=strict"),
        ("MemoryMax=1G\n", "", "set MemoryMax"),
        ("bin/parley worker", "bin/parley wroker", "is no command"),
        ("ExecStart=/opt/parley", "ExecStart=/usr", "start /opt/parley"),
        ("TimeoutStopSec=30", "TimeoutStopSec=5", "no time to drain for 10 s"),
        ("LoadCredential=redis:", "LoadCredential=radis:", "none of its credentials"),
        ("PARLEY_DRAIN_SECONDS", "PARLEY_DRIAN_SECONDS", "PARLEY_DRIAN_SECONDS"),
    ],
)
def test_a_unit_that_is_open_or_cannot_drain_is_named(
    deploy: Path, old: str, new: str, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without systemd's own tool as well."""
    monkeypatch.setattr(shutil, "which", lambda name: None)
    plant(deploy / "systemd" / "parley-worker@.service", old, new)
    problems = list(unit_problems(deploy / "systemd", refused))
    assert any(named in problem for problem in problems), problems


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
def test_systemd_verifies_the_units(deploy: Path) -> None:
    """As they are; a key that it cannot read is told in its own words."""
    assert list(unit_problems(deploy / "systemd", refused)) == []
    plant(deploy / "systemd" / "parley-serve.service", "KillMode=mixed", "KillMode=mxied")
    assert "mxied" in " ".join(unit_problems(deploy / "systemd", refused))


def test_what_is_laid_over_has_services_that_there_are(deploy: Path) -> None:
    """A name in compose.tls.yaml that compose.yaml has not would start something of its own."""
    whole, over = (
        YAML(typ="safe").load(deploy / name) for name in ("compose.yaml", "compose.tls.yaml")
    )
    assert set(over["services"]) <= set(whole["services"])
