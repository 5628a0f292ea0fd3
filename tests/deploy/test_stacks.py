"""What `make check-stacks` says, by the real resolver on wheels of our own making."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from deploy.stacks import extras_of, index_environment, read_stacks

ROOT = Path(__file__).parents[2]
Made = Callable[..., Path]
Check = Callable[..., tuple[int, str, str]]


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """Makes wheels in a folder that is all that uv sees of the world."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_FIND_LINKS", str(folder))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))

    def make(name: str, version: str, requires: Sequence[str] = (), code: str = "") -> Path:
        plain = name.replace("-", "_")
        made = folder / f"{plain}-{version}-py3-none-any.whl"
        extras = {
            line.rpartition("extra == ")[2].strip("'") for line in requires if "extra" in line
        }
        info = f"{plain}-{version}.dist-info"
        with zipfile.ZipFile(made, "w") as archive:
            head = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
            head += [f"Provides-Extra: {extra}" for extra in sorted(extras)]
            head += [f"Requires-Dist: {line}" for line in requires]
            archive.writestr(f"{info}/METADATA", "\n".join(head) + "\n")
            archive.writestr(
                f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            archive.writestr(f"{plain}/__init__.py", code)
            archive.writestr(f"{info}/RECORD", "")
        return made

    return make


@pytest.fixture
def check(wheels: Made, tmp_path: Path) -> Check:
    """Runs the check on the stack `crew`: its exit status, and what it says on both streams.

    Of `pipe` there are 1.0 and 2.0; the library needs 1.0 of it, its extra `serve` 2.0.
    """
    wheels("pipe", "1.0")
    wheels("pipe", "2.0")
    says = (
        "class Memory:\n"
        "    def say(self, *said): pass\n"
        "    def context(self, name): return 'the place by the bridge'\n"
    )
    wheel = wheels(
        "parley-deliberation", "0.1", ["pipe>=1", "pipe>=2; extra == 'serve'"], "import parley\n"
    )
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("parley/__init__.py", says)

    def run(*lines: str, arguments: Sequence[str] = ()) -> tuple[int, str, str]:
        data = tmp_path / "stacks.toml"
        data.write_text("\n".join(["[[stack]]", "name = 'crew'", "packages = ['crew']", *lines]))
        done = subprocess.run(
            [sys.executable, "-m", "deploy.stacks", "--data", data, "--wheel", wheel, *arguments],
            cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    return run


def test_a_stack_that_loses_nothing_passes_and_runs_the_readme(wheels: Made, check: Check) -> None:
    """Each extra has its column, and the stack's module is imported ahead of the three lines."""
    wheels("crew", "3.0", ["pipe>=1"])
    status, said, wrong = check("run = 'crew'")
    assert (status, wrong) == (0, "")
    assert said.splitlines()[1].split() == ["crew", "3.0", "ok", "ok", "ok"]
    assert "runs: the README's three lines beside crew" in said


def test_a_stack_that_breaks_the_readme_fails(wheels: Made, check: Check) -> None:
    """What it ends in is quoted."""
    wheels("crew", "3.0", ["pipe>=1"], "raise SystemExit('crew breaks')")
    status, said, wrong = check("run = 'crew'")
    assert (status, "crew breaks" in wrong) == (1, True)
    assert "FAILS: the README's three lines beside crew" in said


def test_an_older_stack_beside_the_wheel_fails_with_what_is_in_the_way(
    wheels: Made, check: Check
) -> None:
    """A resolver takes an old release that asks for nothing rather than none."""
    wheels("crew", "1.0")
    wheels("crew", "3.0", ["pipe<2"])
    status, said, wrong = check()
    assert said.splitlines()[1].split() == ["crew", "3.0", "ok", "FAILS", "FAILS"]
    assert status == 1
    assert "depends on pipe<2" in wrong


def test_a_pin_that_is_quoted_and_true_excuses_the_row(wheels: Made, check: Check) -> None:
    """The table says so, and the pin is read in the release itself."""
    wheels("crew", "3.0", ["pipe<2,>=1"])
    status, said, wrong = check("pins = [{ extra = 'serve', of = 'crew', pin = 'pipe>=1,<2' }]")
    assert (status, wrong) == (0, "")
    assert said.splitlines()[1].split() == ["crew", "3.0", "ok", "pinned", "pinned"]
    assert "pinned: crew asks for pipe>=1,<2, so crew excludes [serve]" in said


@pytest.mark.parametrize(
    ("asks", "pin", "complaint"),
    [
        ("pipe<2", "pipe<1.5", "crew==3.0 does not ask for 'pipe<1.5', but for pipe<2"),
        ("pipe<2", "rope<2", "fails for another reason than its pins"),
        ("pipe>=1", "pipe>=1", "resolves: drop the pins of serve from the data"),
    ],
)
def test_a_pin_that_is_not_true_or_not_needed_fails(
    wheels: Made, check: Check, asks: str, pin: str, complaint: str
) -> None:
    """An excuse is good for as long as the other side has the pin, and it is in the way."""
    wheels("crew", "3.0", [asks])
    status, _, wrong = check(f"pins = [{{ extra = 'serve', of = 'crew', pin = '{pin}' }}]")
    assert (status, complaint in wrong) == (1, True)


def test_where_no_registry_answers_it_is_skipped(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a line that says so, and no failure."""
    monkeypatch.delenv("UV_NO_INDEX")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    status, said, wrong = check()
    assert (status, wrong) == (0, "")
    assert said.startswith("stacks: skipped, no registry answers: ")


@pytest.mark.parametrize(
    ("own", "port"), [({}, 8), ({"UV_DEFAULT_INDEX": "http://127.0.0.1:9/x"}, 9)]
)
def test_pips_index_is_asked_unless_uv_has_its_own(
    monkeypatch: pytest.MonkeyPatch, own: dict[str, str], port: int
) -> None:
    """uv reads no configuration of pip."""
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:8/x")
    monkeypatch.delenv("UV_DEFAULT_INDEX", raising=False)
    for name, value in own.items():
        monkeypatch.setenv(name, value)
    assert index_environment()["UV_DEFAULT_INDEX"] == f"http://127.0.0.1:{port}/x"


def test_the_data_names_extras_that_the_project_has(wheels: Made) -> None:
    """And each stack once."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    stacks = read_stacks(ROOT / "deploy" / "stacks.toml")
    assert len({stack.name for stack in stacks}) == len(stacks)
    extras = set(project["optional-dependencies"])
    assert {pin.extra for stack in stacks for pin in stack.pins} <= extras
    made = wheels("some", "1", [f"x; extra == '{extra}'" for extra in extras])
    assert extras_of(made) == sorted(extras)
