"""A wheel in environments of its own: each extra, each Python, and what a user does first."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from deploy.dist_contents import Metadata

AT_ONCE = 2
LIMIT = 900  # seconds for one command, on a slow line
ALL = "all"  # extras at once
# What an extra is for: this has to be importable with it alone.
DOORS = {
    "embedded": ("parley.bus.embedded",),
    "model": ("openai", "parley.listeners.models.openai_model"),
    "serve": ("parley.server.http.http_app", "parley.server.mcp.mcp_server"),
    "telemetry": ("opentelemetry.sdk", "parley.server.telemetry.otlp_export"),
}
EVERY_MODULE = """
import importlib, pkgutil, parley
def failed(name): raise ImportError(name)
names = [found.name for found in pkgutil.walk_packages(parley.__path__, "parley.", failed)]
for name in names:
    if not name.endswith("__main__") and ".integrations." not in name:  # those need frameworks
        importlib.import_module(name)
"""
PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDS_EMBEDDED = "redis=None"
SERVERS = ("redis-server", "valkey-server")


class NoSuchPython(Exception):
    """An interpreter that was asked for by name does not run, or no interpreter was found."""


class _Failed(Exception):
    pass


def interpreters(asked: str | Sequence[str]) -> dict[str, Path]:
    """The interpreters to try, by version such as 3.12.

    A string names them, with blanks between, and each has to run. A sequence has versions: for
    each the first that runs of this program's own, `python3.12` on PATH and those of pyenv.
    """
    found: dict[str, Path] = {}
    if isinstance(asked, str):
        for word in asked.split():
            path = shutil.which(word)
            version = _version(Path(path)) if path else ""
            if not path or not version:
                raise NoSuchPython(f"{word} does not run; name Python interpreters in PYTHONS")
            found[version] = Path(path)
        return found
    for version in asked:
        for candidate in _candidates(version):
            if _version(candidate) == version:
                found[version] = candidate
                break
    if not found:
        raise NoSuchPython(f"none of Python {', '.join(asked)} was found; name one in PYTHONS")
    return found


def _candidates(version: str) -> list[Path]:
    program = f"python{version}"
    own = Path(sys.base_prefix) / "bin" / program
    paths = [own, *(Path(p) for p in (shutil.which(program),) if p)]
    if pyenv := shutil.which("pyenv"):
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False)
        if root.returncode == 0:
            versions = Path(root.stdout.strip()) / "versions"
            paths += sorted(versions.glob(f"{version}.*/bin/{program}"), reverse=True)
    return paths


def _version(python: Path) -> str:
    """The version of an interpreter, such as 3.12; "" if it does not run."""
    words = [str(python), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    try:
        said = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return said.stdout.strip() if said.returncode == 0 else ""


def install_problems(
    wheel: Path,
    metadata: Metadata,
    scratch: Path,
    pythons: dict[str, Path],
    say: Callable[[str], None],
) -> list[str]:
    """Installs the wheel without extras, with each and with all, on each Python; what failed."""
    if unknown := set(metadata.extras) ^ DOORS.keys():
        return [f"extras: {', '.join(sorted(unknown))} differ from those of dist_installs.DOORS"]
    choices = ["", *metadata.extras, ALL]

    def tried(version: str, choice: str) -> str:
        name = f"python {version} {f'[{choice}]' if choice else 'without extras'}"
        started = time.monotonic()
        folder = scratch / f"{version}-{choice}"
        try:
            left_out = _try(wheel, metadata, folder, pythons[version], choice)
        except _Failed as failed:
            say(f"{name}: failed")
            return f"{name}: {failed}"
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        say(f"{name}: installed and tried ({time.monotonic() - started:.0f} s){left_out}")
        return ""

    with ThreadPoolExecutor(AT_ONCE) as pool:
        pairs = [(version, choice) for version in pythons for choice in choices]
        outcomes = list(pool.map(lambda pair: tried(*pair), pairs))
    return [outcome for outcome in outcomes if outcome]


def _try(wheel: Path, metadata: Metadata, folder: Path, python: Path, choice: str) -> str:
    """Installs and tries one choice; returns what was left out of it, to be said."""
    chosen = list(metadata.extras) if choice == ALL else [choice] if choice else []
    home = folder / "home"
    home.mkdir(parents=True)
    _run(folder, os.environ, python, "-m", "venv", "--without-pip", folder / "env")
    installed = folder / "env" / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", installed)
    away = {k: v for k, v in os.environ.items() if not k.startswith(("PARLEY_", "PYTHON", "XDG_"))}
    extras = f"[{','.join(chosen)}]" if chosen else ""
    _run(folder, os.environ, *pip, "install", "--quiet", "--no-compile", f"{wheel}{extras}")
    _run(folder, os.environ, *pip, "check")

    away["HOME"] = str(home)
    where = _run(home, away, installed, "-c", "import parley; print(parley.__file__)")
    if not Path(where.strip()).is_relative_to(folder):
        raise _Failed(f"`import parley` found {where.strip()}")
    said = _run(home, away, folder / "env" / "bin" / "parley", "--version")
    if said != f"parley {metadata.version}\n":
        raise _Failed(f"`parley --version` says {said!r}, the metadata {metadata.version}")
    # the extra brings a server for some Pythons only; elsewhere it takes that of the machine
    bins = os.pathsep.join((str(installed.parent), os.environ.get("PATH", "")))
    has_server = any(shutil.which(server, path=bins) for server in SERVERS)
    for number, block in enumerate(PYTHON_BLOCK.findall(metadata.readme)):
        if NEEDS_EMBEDDED not in block or ("embedded" in chosen and has_server):
            script = home / f"readme_{number}.py"
            script.write_text(block, encoding="utf-8")
            _run(home, away, installed, script)
    for extra in chosen:
        _run(home, away, installed, "-c", f"import {', '.join(DOORS[extra])}")
    if choice == ALL:
        _run(home, away, installed, "-c", EVERY_MODULE)
    shared = folder / "env" / "share" / "parley" / "systemd"
    if not list(shared.glob("*.service")):
        raise _Failed(f"the units are not in {shared.relative_to(folder)}")
    if "embedded" in chosen and not has_server:
        return "; not the example with an embedded server: this Python and PATH have none"
    return ""


def _run(folder: Path, env: os._Environ[str] | dict[str, str], *words: str | Path) -> str:
    done = subprocess.run(
        [str(word) for word in words],
        cwd=folder, env=env, capture_output=True, text=True, timeout=LIMIT, check=False,
    )  # fmt: skip
    if done.returncode:
        raise _Failed(f"{' '.join(map(str, words))[-200:]}: {(done.stdout + done.stderr)[-2000:]}")
    return done.stdout
