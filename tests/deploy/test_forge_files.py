"""What `make check-deploy` catches in workflows, forms and the citation."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.check import _validated as validated
from deploy.forge_files import forge_problems

ROOT = Path(__file__).parents[2]
CI = ".github/workflows/ci.yml"
CHECKOUT = "actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8"

WRITES = "    timeout-minutes: 60\n    permissions: {packages: write}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of the files for a forge to plant mistakes in."""
    shutil.copytree(ROOT / ".github", tmp_path / ".github")
    for name in ("CITATION.cff", "Makefile", "SECURITY.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def test_what_we_ship_is_clean() -> None:
    """A complaint below is about the planted mistake."""
    assert list(forge_problems(ROOT, validated)) == []


def unasked(*words: str) -> Iterator[str]:
    """No validator: what is looked for is not in a schema."""
    yield from ()


def planted(root: Path, file: str, old: str, new: str) -> None:
    text = (root / file).read_text(encoding="utf-8")
    assert old in text
    (root / file).write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        (CI, "    runs-on: ubuntu-24.04\n", "    runs_on: ubuntu-24.04\n", "runs_on"),
        (CI, "    timeout-minutes: 20\n", "", "timeout-minutes"),
        (".github/ISSUE_TEMPLATE/bug.yml", "type: dropdown", "type: choice", "bug.yml"),
        (".github/ISSUE_TEMPLATE/config.yml", "blank_issues_enabled: false", "a: b", "config.yml"),
        ("CITATION.cff", "authors:", "writers:", "authors"),
    ],
)
def test_what_a_schema_refuses_is_named(
    root: Path, file: str, old: str, new: str, named: str
) -> None:
    """A workflow, a job without a limit of time, a form, its configuration, the citation."""
    planted(root, file, old, new)
    assert any(named in problem for problem in forge_problems(root, validated))


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        (CI, "  contents: read", "  contents: write", "read at most"),
        (CI, "concurrency:", "env:", "set concurrency"),
        (CI, CHECKOUT, "actions/checkout@v5", "pin actions/checkout@v5 to the hash"),
        (CI, "with: {persist-credentials: false}", "", "persist-credentials: false"),
        (CI, "    environment: pypi\n", "", "'publish': it publishes: name the environment"),
        (CI, "    timeout-minutes: 60\n", WRITES, "may write (packages) and runs commands"),
        (CI, '"$SERVER" chromium', "${{ matrix.server }} chromium", "as a variable of env"),
        (CI, "make dist", "make wheels", "the Makefile has no target wheels"),
        ("CITATION.cff", "version: 0.1.0", "version: 0.0.9", "cites version 0.0.9"),
    ],
)
def test_what_no_schema_sees_is_named(
    root: Path, file: str, old: str, new: str, named: str
) -> None:
    """Rights, pins, words of strangers in a shell, another version."""
    assert list(forge_problems(root, unasked)) == []
    planted(root, file, old, new)
    problems = list(forge_problems(root, unasked))
    assert problems
    assert all(named in problem for problem in problems)


@pytest.mark.parametrize("name", ["SECURITY.md", "CITATION.cff", CI])
def test_a_file_that_is_gone_is_named(root: Path, name: str) -> None:
    """Without it there would be nothing to validate, and nothing to complain of."""
    (root / name).unlink()
    assert any("there is no " in problem for problem in forge_problems(root, unasked))
