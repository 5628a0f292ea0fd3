"""Validates deploy/, and the files for a forge, without a network or a container engine.

    python -m deploy.check deploy

Public validators first (hadolint, the Compose schema, shellcheck where there is
one), then what they cannot see: whether the base images are pinned, whether
anything runs as root, whether a real redis-server takes the configuration and
keeps what it acknowledges, and whether the commands exist. Each problem is one
line on stderr; exit status 1 when there is any.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from deploy.forge_files import forge_problems
from deploy.kubernetes_objects import cluster_problems
from deploy.metric_names import metric_problems
from deploy.redis_configuration import redis_problems
from deploy.service_files import reference_problems
from deploy.systemd_units import unit_problems
from parley.server.basics.errors import Misuse
from parley.server.settings import resolve_defaults

PINNED = re.compile(r"^[^:@\s]+:\d+\.\d+\.\d+[\w.-]*(@sha256:[0-9a-f]{64})?$")
ROOT = Path(__file__).resolve().parents[1]
RUNBOOK = ROOT / "docs" / "runbook.md"


def problems(deploy: Path) -> Iterator[str]:
    """Every mistake found under `deploy`, one line each."""
    for dockerfile in sorted(deploy.rglob("Dockerfile")):
        yield from _validated("hadolint", "--no-color", str(dockerfile))
        yield from dockerfile_problems(dockerfile)
    compose = deploy / "compose.yaml"
    files = sorted(map(str, deploy.glob("compose*.yaml")))
    yield from _validated("check-jsonschema", "--builtin-schema", "vendor.compose-spec", *files)
    yield from compose_problems(compose)
    yield from reference_problems(deploy)
    for script in sorted(deploy.rglob("*.sh")):
        yield from _validated("sh", "-n", str(script))
        if shutil.which("shellcheck"):
            yield from _validated("shellcheck", str(script))
    yield from redis_problems(deploy / "redis" / "redis.conf")
    yield from metric_problems(deploy, RUNBOOK)
    yield from cluster_problems(deploy / "kubernetes", refused)
    yield from unit_problems(deploy / "systemd", refused)
    yield from forge_problems(ROOT, _validated)


def dockerfile_problems(dockerfile: Path) -> Iterator[str]:
    """Bases that are not pinned to a full version, and an image that runs as root."""
    stages: set[str] = set()
    user = ""
    for line in dockerfile.read_text(encoding="utf-8").splitlines():
        match line.split():
            case ["FROM", image, *rest]:
                user = ""
                if image not in stages and not PINNED.match(image):
                    yield f"{dockerfile}: pin {image!r} to a full version, such as 3.12.12-slim"
                stages.update(rest[1:2])
            case ["USER", name, *_]:
                user = name.partition(":")[0]
            case ["CMD", *_] if "doctor" in line:
                yield from _costly_health(str(dockerfile), json.loads(line.split(maxsplit=1)[1]))
            case _:
                continue
    if not user.isdecimal() or int(user) == 0:
        yield f"{dockerfile}: the image runs as {user or 'root'!r}; end with USER and a number > 0"


def compose_problems(compose: Path) -> Iterator[str]:
    """Services that are not hardened or not scalable, and commands that do not exist."""
    tree: dict[str, Any] = YAML(typ="safe").load(compose)
    services: dict[str, dict[str, Any]] = tree.get("services") or {}
    for name, service in services.items():
        where = f"{compose}: service {name!r}"
        if not service.get("read_only"):
            yield f"{where}: set read_only: true"
        if "ALL" not in (service.get("cap_drop") or ()):
            yield f"{where}: set cap_drop: [ALL]"
        for key in ("healthcheck", "stop_grace_period", "restart"):
            if key not in service:
                yield f"{where}: lacks {key}"
        yield from _costly_health(where, service.get("healthcheck", {}).get("test") or ())
        if "container_name" in service:
            yield f"{where}: container_name keeps it from being scaled"
    yield from _missing_services(compose, services)
    for file in sorted(compose.parent.glob("*.env*")):
        yield from environment_problems(file)


def _costly_health(where: str, words: Sequence[str]) -> Iterator[str]:
    """Health is looked at every half minute: no model is asked for it."""
    if "doctor" in words and "--no-model" not in words:
        yield f"{where}: its health check asks the model each time; 'doctor --no-model' does not"


def environment_problems(file: Path) -> Iterator[str]:
    """Variables that parley would refuse to start with."""
    lines = file.read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("=") for line in lines if "=" in line and not line.startswith("#"))
    given = {name.strip(): value for name, _, value in pairs}
    if not file.name.endswith(".example"):
        for name in (name for name, value in given.items() if "change-me" in value):
            yield f"{file}: {name} is still the one of the example; choose another"
    try:
        resolve_defaults({}, given)
    except Misuse as refused:
        yield f"{file}: {refused}"


def _missing_services(compose: Path, services: dict[str, dict[str, Any]]) -> Iterator[str]:
    if "worker" not in services or "redis" not in services:
        yield f"{compose}: needs the services 'redis' and 'worker'"
        return
    if not any(str(v).endswith(":/data") for v in services["redis"].get("volumes") or ()):
        yield f"{compose}: service 'redis' keeps /data in no volume; its log would go with it"
    if services["worker"].get("ports"):
        yield f"{compose}: service 'worker' publishes a port, so only one could run"
    for service in services.values():
        if "Dockerfile" in str(service.get("build")):  # the image whose entry point is parley
            yield from _wrong_command(compose, service.get("command") or [])
    if any(not str(port).startswith("127.0.0.1:") for port in _ports(services)):
        yield f"{compose}: a port is published to others than this machine"


def _ports(services: dict[str, dict[str, Any]]) -> Iterator[object]:
    for service in services.values():
        yield from service.get("ports") or ()


def _wrong_command(compose: Path, command: list[str] | str) -> Iterator[str]:
    words = command if isinstance(command, list) else str(command).split()
    if refusal := refused(tuple(words)):
        yield f"{compose}: 'parley {' '.join(words)}' is no command: {refusal}"


@cache
def refused(words: tuple[str, ...]) -> str:
    """What parley says against these words; "" where it takes them."""
    parley = Path(sys.executable).with_name("parley")
    said = subprocess.run([parley, *words, "--help"], capture_output=True, text=True, check=False)
    return said.stderr.strip()[-200:] if said.returncode else ""


def _validated(command: str, *arguments: str) -> Iterator[str]:
    """The complaints of a public validator, found beside the interpreter or on PATH."""
    places = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    program = shutil.which(command, path=places)
    if program is None:
        yield f"{command} is not installed; run this through 'make check-deploy'"
        return
    said = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if said.returncode:
        lines = [line for line in (said.stdout + said.stderr).splitlines() if line.strip()]
        yield from (f"{command}: {line}" for line in lines)


def main() -> int:
    deploy = Path(sys.argv[1] if len(sys.argv) > 1 else "deploy")
    found = list(problems(deploy))
    for problem in found:
        print(problem, file=sys.stderr)
    print(f"{deploy}: {len(found)} problems" if found else f"{deploy}: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
