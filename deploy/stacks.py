"""Whether Parley installs beside the stacks of agents, at the newest release of each.

    python -m deploy.stacks [--data deploy/stacks.toml] [--wheel FILE] [--no-install]

Resolves each stack alone, then with the wheel and each of its extras; a stack that comes out
older beside Parley than alone is a failure. A row that cannot resolve has to name what the other
side pins, and the pin is read again in the release at hand. Then the README's three lines, and the
tests of Parley's adapter if there is one, run in real environments of the stacks that say so.
Exit status 0 if all is well or if no registry answers, else 1.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from uv import find_uv_bin

from parley.server.basics.output import print_table

ROOT = Path(__file__).resolve().parents[1]
TESTED = ("tests/server/integrations", "examples/teams")  # of an adapter, and what it runs
NAME = "parley-deliberation"
PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;]+)", re.MULTILINE)
FIRST_EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
UNSOLVED = 1  # uv's exit status if there is no solution; 2 of anything else, such as no network

Versions = Mapping[str, Version]


class NoAnswer(Exception):
    """The registry did not answer, or uv failed otherwise; says what uv said."""


class Unsolved(Exception):
    """No set of releases satisfies the requirements; says why in uv's words."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A requirement of the package `of`, word for word, that Parley's `extra` cannot meet."""

    extra: str
    of: str
    pin: str


@dataclass(frozen=True, slots=True)
class Stack:
    """What a user of one stack installs; `run` is a module of it to import, if it is installed.

    `tests` are the tests of Parley's adapter for it, a file of `tests/server/integrations`.
    """

    name: str
    packages: Sequence[str]
    run: str = ""
    tests: str = ""
    pins: Sequence[Pin] = ()

    def names(self) -> list[str]:
        """The packages without their extras."""
        return [canonicalize_name(Requirement(package).name) for package in self.packages]


def read_stacks(file: Path) -> list[Stack]:
    """The stacks of a TOML file. Raises `TypeError` for a field that is not one of `Stack`."""
    tables = tomllib.loads(file.read_text("utf-8"))["stack"]
    return [
        Stack(**{**table, "pins": [Pin(**pin) for pin in table.get("pins", ())]})
        for table in tables
    ]


def index_environment() -> dict[str, str]:
    """The environment for uv, which does not read pip's configuration: the index that pip asks."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    ).stdout
    indexes = re.findall(r"^(?:global|install|:env:)\.index-url='(.*)'$", listed, re.MULTILINE)
    return {**({"UV_DEFAULT_INDEX": indexes[-1]} if indexes else {}), **os.environ}


def uv(*arguments: str, given: str = "") -> str:
    """What uv prints. Raises `Unsolved` and `NoAnswer`."""
    done = subprocess.run(
        [find_uv_bin(), "--quiet", "--no-config", *arguments],
        input=given, env=index_environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise (Unsolved if done.returncode == UNSOLVED else NoAnswer)(done.stderr.strip())
    return done.stdout


def resolve(*requirements: str) -> Versions:
    """The releases that a fresh install of `requirements` gets here, by name."""
    listed = uv(
        "pip", "compile", "--no-header", "--no-annotate", "--python", sys.executable, "-",
        given="\n".join(requirements),
    )  # fmt: skip
    return {canonicalize_name(name): Version(given) for name, given in PINNED.findall(listed)}


def beside(wheel: Path, extras: Sequence[str]) -> str:
    """The requirement for the wheel with these extras."""
    return f"{NAME}[{','.join(extras)}] @ {wheel.resolve().as_uri()}"


def extras_of(wheel: Path) -> list[str]:
    """The extras that the wheel has, in alphabetical order."""
    (found,) = distributions(path=[str(wheel)])
    return sorted(found.metadata.get_all("Provides-Extra") or ())


def problem(stack: Stack, alone: Versions, wheel: Path, extras: Sequence[str]) -> str:
    """Why the stack loses something beside the wheel with these extras; "" if it loses nothing."""
    try:
        both = resolve(*stack.packages, beside(wheel, extras))
        older = [name for name in stack.names() if both[name] < alone[name]]
        if not older:
            return ""
        # Again, at the newest releases: then uv says what is in the way.
        newest = [f"{name}=={alone[name]}" for name in stack.names()]
        resolve(*stack.packages, *newest, beside(wheel, extras))
    except Unsolved as unsolved:
        return str(unsolved)
    return ", ".join(f"{name} {both[name]} in place of {alone[name]}" for name in older)


def untrue(pin: Pin, alone: Versions) -> str:
    """What is wrong with a pin that the data quotes; "" if the release at hand has it."""
    asked = Requirement(pin.pin)
    with tempfile.TemporaryDirectory() as folder:
        release = f"{pin.of}=={alone[canonicalize_name(pin.of)]}"
        uv("pip", "install", "--no-deps", "--target", folder, "--python", sys.executable, release)
        (found,) = distributions(name=pin.of, path=[folder])
        listed = [Requirement(line) for line in found.requires or ()]
    if any((one.name, one.specifier) == (asked.name, asked.specifier) for one in listed):
        return ""
    now = [str(one) for one in listed if one.name == asked.name] or ["nothing of that name"]
    return f"{release} does not ask for {pin.pin!r}, but for {', '.join(now)}"


def check_stack(stack: Stack, wheel: Path, extras: Sequence[str]) -> tuple[list[str], list[str]]:
    """The stack's row of the table, and what is wrong with it, a line each."""
    alone = resolve(*stack.packages)
    row, wrong = [stack.name, " ".join(str(alone[name]) for name in stack.names())], []
    kept = {pin.extra for pin in stack.pins}
    for chosen in ((), *((extra,) for extra in extras), extras):
        excused = bool(kept & set(chosen))
        lost = problem(stack, alone, wheel, chosen)
        row.append("pinned" if lost and excused else "FAILS" if lost else "ok")
        what = f"{stack.name} beside {NAME}[{','.join(chosen)}]"
        if lost and not excused:
            wrong.append(f"{what}: {lost}")
        elif excused and not lost:
            wrong.append(f"{what} resolves: drop the pins of {', '.join(kept)} from the data")
        elif lost and not any(Requirement(pin.pin).name in lost for pin in stack.pins):
            wrong.append(f"{what} fails for another reason than its pins: {lost}")
    wrong += [f"{stack.name}: {error}" for pin in stack.pins if (error := untrue(pin, alone))]
    return row, wrong


def run_beside(stack: Stack, wheel: Path, extras: Sequence[str]) -> str:
    """Runs the README's first example and the adapter's tests; what went wrong, or "".

    The environment has all extras but those that the stack excludes.
    """
    example = FIRST_EXAMPLE.search((ROOT / "README.md").read_text("utf-8"))
    assert example is not None
    excluded = {pin.extra for pin in stack.pins}
    here = beside(wheel, [extra for extra in extras if extra not in excluded])
    with tempfile.TemporaryDirectory() as folder:
        uv("venv", "--python", sys.executable, f"{folder}/venv")
        python = f"{folder}/venv/bin/python"
        uv("pip", "install", "--python", python, *stack.packages, here)
        done = subprocess.run(
            [python, "-c", f"import {stack.run}\n{example[1]}"], cwd=folder,
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        if done.returncode or "the place by the bridge" not in done.stdout:
            return f"{stack.name}: the README's three lines end in {done.stderr or done.stdout!r}"
        return run_tests(stack, python, Path(folder)) if stack.tests else ""


def run_tests(stack: Stack, python: str, folder: Path) -> str:
    """Runs the tests of the stack's adapter on the wheel that `python` has; what failed, or ""."""
    for part in TESTED:
        shutil.copytree(ROOT / part, folder / part)
    uv("pip", "install", "--python", python, "pytest", "pytest-asyncio")
    command = [
        python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull,
        "--rootdir", str(folder), "--import-mode=importlib", "-o", "asyncio_mode=auto",
        "-o", f"pythonpath={folder}", f"{TESTED[0]}/{stack.tests}",
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode or "skipped" in done.stdout:
        return f"{stack.name}: the adapter's tests end in {done.stdout or done.stderr}"
    return ""


def build_wheel(folder: Path) -> Path:
    """The wheel of this checkout, without modules that an earlier build left behind."""
    shutil.rmtree(ROOT / "build", ignore_errors=True)
    command = [
        sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check",
        "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT),
    ]  # fmt: skip
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def check(stacks: Sequence[Stack], wheel: Path, *, install: bool) -> list[str]:
    """Prints the table and what ran; returns all that is wrong. Raises `NoAnswer`."""
    begun, extras = time.monotonic(), extras_of(wheel)
    rows, wrong = [], []
    for stack in stacks:
        row, found = check_stack(stack, wheel, extras)
        rows.append(row)
        wrong += found
    print_table(["stack", "newest", "library", *(f"[{extra}]" for extra in extras), "[all]"], rows)
    for stack in stacks:
        for pin in stack.pins:
            print(f"pinned: {pin.of} asks for {pin.pin}, so {stack.name} excludes [{pin.extra}]")
    print(f"resolved in {time.monotonic() - begun:.0f} s")
    for stack in stacks if install else ():
        if stack.run:
            begun = time.monotonic()
            error = run_beside(stack, wheel, extras)
            wrong += [error] if error else []
            what = "the README's three lines" + " and the adapter's tests" * bool(stack.tests)
            print(f"{'FAILS' if error else 'runs'}: {what} beside {stack.name}, "
                  f"{time.monotonic() - begun:.0f} s")  # fmt: skip
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT / "deploy" / "stacks.toml")
    parser.add_argument("--wheel", type=Path, help="instead of one of this checkout")
    parser.add_argument("--no-install", action="store_true", help="resolve only")
    asked = parser.parse_args()
    stacks = read_stacks(asked.data)
    try:
        resolve(*stacks[0].packages)
    except NoAnswer as silent:
        print(f"stacks: skipped, no registry answers: {str(silent).splitlines()[-1].strip()}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        wheel = asked.wheel or build_wheel(Path(folder))
        try:
            wrong = check(stacks, wheel, install=not asked.no_install)
        except NoAnswer as silent:
            wrong = [f"stacks: not checked to the end: {silent}"]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
