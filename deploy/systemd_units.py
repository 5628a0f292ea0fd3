"""What is wrong with the units of deploy/systemd, with and without `systemd-analyze`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from deploy.kubernetes_objects import SPARE_SECONDS, Refusal
from parley.server.basics.errors import Misuse
from parley.server.settings import resolve_defaults

Unit = Mapping[str, Sequence[str]]

INSTALLED = "/opt/parley/bin/parley"  # where the units look for it
MUST = {
    "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes",
    "PrivateDevices": "yes", "RestrictNamespaces": "yes", "CapabilityBoundingSet": "",
    "SystemCallFilter": "@system-service", "DynamicUser": "yes", "Restart": "always",
}  # fmt: skip
EXPOSURE = 20  # of 100, by `systemd-analyze security`; ours have 15


def read_unit(file: Path) -> Unit:
    """Each key of a unit with its values, in their order: sections do not share keys here."""
    unit: dict[str, list[str]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith(("#", ";")):
            unit.setdefault(key.strip(), []).append(value.strip())
    return unit


def environment(unit: Unit) -> dict[str, str]:
    """The variables that a unit sets itself, specifiers as they stand."""
    pairs = (pair.partition("=") for line in unit.get("Environment", ()) for pair in line.split())
    return {name: value for name, _, value in pairs}


def unit_problems(folder: Path, refusal: Refusal) -> Iterator[str]:
    """Every mistake in the units of `folder`; `refusal` is what parley says against words."""
    for file in sorted(folder.glob("*.service")):
        yield from (f"{file}: {problem}" for problem in _look_at(read_unit(file), refusal))
        yield from (f"{file}: {problem}" for problem in _analyzed(file))


def _look_at(unit: Unit, refusal: Refusal) -> Iterator[str]:
    for key, value in MUST.items():
        if unit.get(key) != [value]:
            yield f"set {key}={value}"
    if "MemoryMax" not in unit:
        yield "set MemoryMax"
    for line in unit.get("ExecStart", ()):
        program, *words = line.split()
        if program != INSTALLED:
            yield f"start {INSTALLED}, not {program}"
        if refused := refusal(tuple(words)):
            yield f"'parley {' '.join(words)}' is no command: {refused}"
    given = environment(unit)
    credentials = [name.partition(":")[0] for name in unit.get("LoadCredential", ())]
    if given.get("PARLEY_REDIS", "").partition("password_file=%d/")[2] not in credentials:
        yield "the password_file of PARLEY_REDIS is none of its credentials: LoadCredential=redis:…"
    try:
        drain = resolve_defaults({}, given).drain_seconds
    except Misuse as refused_settings:
        yield str(refused_settings)
        return
    (grace,) = unit.get("TimeoutStopSec", ["0"])
    if float(grace) < drain + SPARE_SECONDS:
        yield f"TimeoutStopSec leaves no time to drain for {drain:.0f} s"


def _analyzed(file: Path) -> Iterator[str]:
    """What systemd itself says, of a copy that starts the program at hand."""
    if not shutil.which("systemd-analyze"):
        print(f"no systemd-analyze here: {file.name} is not verified", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory(prefix="parley-units-") as scratch:
        copy = Path(scratch, file.name.replace("@", "@1"))
        here = str(Path(sys.executable).with_name("parley"))
        copy.write_text(file.read_text(encoding="utf-8").replace(INSTALLED, here), "utf-8")
        for words in (
            ("verify", "--man=no"),
            ("security", "--offline=yes", f"--threshold={EXPOSURE}", "--no-pager"),
        ):
            said = subprocess.run(
                ["systemd-analyze", *words, str(copy)], capture_output=True, text=True, check=False
            )
            lines = [line for line in said.stderr.splitlines() if copy.name in line]
            if said.returncode or lines:  # of a value that it cannot read it only warns
                lines = lines or (said.stderr.strip() or said.stdout.strip()).splitlines()
                yield f"systemd-analyze {words[0]}: {' '.join(lines[-3:])}"
