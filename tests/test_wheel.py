"""The wheel: one import name, and nothing of somebody's own beside a program harms it."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from parley.listeners.cache.fold_build import fold_build

ROOT = Path(__file__).parents[1]
NEIGHBOURS = ("bus", "listeners", "memory", "personas", "server")
AWAY = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built once a run: building writes into the checkout."""
    run = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        run = run.parent  # which all processes of the run have
    folder = run / "the-wheel"
    command = [
        sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet",
        "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT),
    ]  # fmt: skip
    with (run / "the-wheel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            shutil.rmtree(ROOT / "build", ignore_errors=True)  # modules of an earlier build
            subprocess.run(command, check=True, timeout=300, env=AWAY)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that has the wheel, and the libraries of this one without its checkout.

    A path in a `.pth` is searched, but the `.pth` files in it are not read: the editable
    install of this environment stays out.
    """
    folder = tmp_path_factory.mktemp("clean")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=120)
    python = folder / "bin" / "python"
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    command = [
        sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python),
        "install", "--quiet", "--no-deps", str(wheel),
    ]  # fmt: skip
    subprocess.run(command, check=True, timeout=300, env=AWAY)
    return python


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """A folder with files of somebody's own under each of the five names."""
    for name in NEIGHBOURS:
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name}.py was imported')\n")
    return tmp_path


def run(folder: Path, *command: str | Path) -> str:
    """What a command prints that ends well in `folder`, away from this checkout."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder, env=AWAY, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_folds_as_the_same_build(python: Path, beside: Path) -> None:
    """A snapshot by a checkout is used by its wheel."""
    code = "from parley.listeners.cache.fold_build import fold_build; print(fold_build())"
    assert run(beside, python, "-P", "-c", code).strip() == fold_build()


def test_the_wheel_brings_one_import_name(wheel: Path) -> None:
    """`parley`, with every module and data file of the checkout, and nothing beside it."""
    with zipfile.ZipFile(wheel) as archive:
        every = archive.namelist()
    names = {name for name in every if not re.match(r"[^/]+\.(dist-info|data)/", name)}
    assert {name.partition("/")[0] for name in names} == {"parley"}
    listed = subprocess.run(
        ["git", "ls-files", *NEIGHBOURS], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode == 0:  # not in an unpacked archive
        assert {f"parley/{file}" for file in listed.stdout.splitlines()} <= names


def test_files_of_the_same_names_beside_a_program_harm_nothing(python: Path, beside: Path) -> None:
    """A program may lie beside its own `server.py`, `memory.py` and `bus.py`."""
    script = beside / "program.py"
    script.write_text(
        "from parley import Bus, Memory, Session\n"
        "import parley.server.cli, parley.listeners.agents, parley.personas\n"
        "print(Session.__name__, Memory.__name__, Bus.__name__)\n"
    )
    assert run(beside, python, script) == "Session Memory Bus\n"


def test_the_installed_command_works_anywhere(python: Path, beside: Path) -> None:
    """`parley --version`, and a transcript read to its minutes."""
    parley = python.with_name("parley")
    assert run(beside, parley, "--version").startswith("parley ")
    demo = ROOT / "server" / "data" / "demo.jsonl"
    assert "Decisions" in run(beside, parley, "analyze", demo)
    assert run(beside, python, "-m", "parley", "--version").startswith("parley ")


def test_importing_parley_loads_nothing(python: Path, beside: Path) -> None:
    """A name is imported at its first use: the library of Redis costs only who asks for it."""
    loaded = run(
        beside, python, "-c",
        "import sys, parley; print(*sorted({name.partition('.')[0] for name in sys.modules}))",
    )  # fmt: skip
    assert not {"redis", "openai", "pydantic", "anyio"} & set(loaded.split())
