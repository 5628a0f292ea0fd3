"""The examples of README and docs run, links lead somewhere, named tests exist.

Fenced blocks marked `python` and `console` run in the order of their page, in a
directory and with an embedded server of the page's own; `skip` after the language
leaves one out. In a console block, lines after a command are what it must print,
with `...` for anything; a command without such lines may print what it likes.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal

from parley.bus import embedded
from parley.bus.entries import KINDS
from tests.support.servers.warm import warm

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
SECONDS = 180.0  # for one example; the slowest, a scenario at the pace of speech, takes sixty


@dataclass(frozen=True, slots=True)
class Example:
    """One command or program of a page, and what it must print (None: anything)."""

    line: int
    command: list[str]
    text: str
    expected: str | None = None


def examples(page: Path) -> Iterator[Example]:
    text = page.read_text(encoding="utf-8")
    for block in FENCE.finditer(text):
        language, words, body = block.groups()
        if "skip" in words.split():
            continue
        line = text.count("\n", 0, block.start(3)) + 1
        if language == "python":
            yield Example(line, [sys.executable, "-W", "error", "-"], body)
        elif language == "console":
            yield from _commands(line, body)


def _commands(line: int, body: str) -> Iterator[Example]:
    command: list[str] = []
    printed: list[str] = []
    until: str | None = None
    started = line
    for offset, row in enumerate(body.splitlines()):
        if until is not None:
            command.append(row)
            until = None if row == until else until
        elif row.startswith("$ "):
            if command:
                yield _shell(started, command, printed)
            started, command, printed = line + offset, [row[2:]], []
            heredoc = re.search(r"<<\s*'(\w+)'", row)
            until = heredoc[1] if heredoc else None
        else:
            printed.append(row)
    if command:
        yield _shell(started, command, printed)


def _shell(line: int, command: list[str], printed: list[str]) -> Example:
    expected = "\n".join(printed) if printed else None
    return Example(line, ["bash", "-euo", "pipefail"], "\n".join(command) + "\n", expected)


def matches(expected: str, printed: str) -> bool:
    parts = [re.escape(part) for part in expected.strip().split("...")]
    return re.fullmatch(".*".join(parts), printed.strip(), re.DOTALL) is not None


def run(example: Example, directory: Path, programs: Path) -> str:
    """What the example prints, of `parley` in `programs`; fails the test where it fails."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PARLEY_")},
        "PARLEY_DATA": str(directory / "data"),
        "PATH": os.pathsep.join((str(programs), os.environ.get("PATH", ""))),
        "COLUMNS": "120",
    }
    process = subprocess.run(
        example.command,
        input=example.text,
        capture_output=True,
        text=True,
        check=False,
        cwd=directory,
        env=environment,
        timeout=SECONDS,
    )
    assert process.returncode == 0, (
        f"line {example.line}: {example.text}\n{process.stdout}{process.stderr}"
    )
    return process.stdout


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Where a page's examples run: like a checkout, as far as they read it."""
    (tmp_path / "server").symlink_to(ROOT / "server")
    return tmp_path


@pytest.fixture(scope="module")
def warm_programs() -> Iterator[Path]:
    """Where a `parley` is that has paid for its imports."""
    with warm() as programs:
        yield programs


@pytest.fixture
def running(directory: Path) -> Iterator[None]:
    """The embedded server of the page's data, which its commands find running."""

    async def stand() -> None:
        async with embedded.serve("auto", directory / "data"):
            up.set()
            await stop.wait()

    up, stop = threading.Event(), asyncio.Event()
    with start_blocking_portal() as portal:
        task = portal.start_task_soon(stand)
        while not up.wait(0.1):
            assert not task.done(), task.result()
        yield
        portal.call(stop.set)


@pytest.mark.parametrize(
    "name", ["docs/decision-rule.md", "docs/memories.md", "docs/votes.md", "docs/floor.md"]
)
@pytest.mark.usefixtures("running")
def test_examples_run_beside_a_server(name: str, directory: Path, warm_programs: Path) -> None:
    """Every example of a page of many commands runs; none has to start a server of its own."""
    run_page(name, directory, warm_programs)


@pytest.mark.parametrize(
    "name",
    [
        "docs/tutorial.md",
        "docs/settings.md",
        "docs/models.md",
        "docs/personas.md",
        "docs/agents.md",
        "docs/python.md",
        "docs/cli.md",
        "docs/scenarios.md",
        "docs/transcripts.md",
        "docs/http.md",
        "docs/mcp.md",
    ],
)
def test_examples_run(name: str, directory: Path, warm_programs: Path) -> None:
    """Every example of the page runs, in order, and prints what the page says."""
    run_page(name, directory, warm_programs)


def test_examples_of_the_readme_run(directory: Path) -> None:
    """By the program that a reader installs."""
    run_page("README.md", directory, Path(sys.executable).parent)


def run_page(name: str, directory: Path, programs: Path) -> None:
    ran = 0
    page = list(examples(ROOT / name))
    if shutil.which("curl") is None and any("curl " in example.text for example in page):
        pytest.skip("curl is not installed")
    for example in page:
        if example.text.startswith("make "):
            continue  # the next test's
        printed = run(example, directory, programs)
        ran += 1
        if example.expected is not None:
            assert matches(example.expected, printed), f"line {example.line}: {printed}"
    assert ran


def test_commands_of_the_readme_are_targets() -> None:
    """Each `make` line of the README is a target that knows what to do."""
    targets = [e.text.split()[1] for e in examples(ROOT / "README.md") if e.text[:5] == "make "]
    assert targets == ["demo", "test"]
    for target in targets:
        process = subprocess.run(
            ["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert process.returncode == 0, process.stderr


def test_make_alone_lists_the_targets() -> None:
    """`make` without a target is help, one line for each."""
    output = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for target in ("demo", "test", "test-redis", "check", "check-deploy", "bench", "dist", "clean"):
        assert re.search(rf"^\s+make {target}\s+\S", output, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    """A relative link names a file that is there."""
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name}: {target}"


def shown(page: str) -> dict[str, list[str]]:
    """The tests that each row of a page's table names, by the row's first cell."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([CFAXLNT]?\d+) \|.*\|([^|]*)\|$", text, re.MULTILINE)
    assert len(dict(rows)) == len(rows), "a row stands twice"
    return {row: re.findall(r"`([^`]+)`", cell) for row, cell in rows}


def exists(test: str) -> bool:
    """Whether `tests/…/test_x.py::test_y` is a test of that file, one that runs."""
    file, _, name = test.partition("::")
    source = ROOT / file
    if not file.startswith("tests/") or not source.is_file():
        return False
    defined = rf"^(?:async )?def {re.escape(name)}\("
    return bool(re.search(defined, source.read_text(encoding="utf-8"), re.MULTILINE))


COMMON = {"kind", "v", "at", "at_text"}  # of every entry
LAWS = [*(str(n) for n in range(1, 19)), *(str(n) for n in range(20, 27))]
PARTS = {"C": 25, "F": 21, "A": 13, "X": 12, "L": 27, "N": 41, "T": 10}
THREATS = [str(n) for n in range(1, 31)]
CATALOGUE = [f"{part}{n}" for part, last in PARTS.items() for n in range(1, last + 1)]
NOTHING_YET = {"C9", "F21", "A4", "A10", "A12", "A13", "L21"}  # these rows say why


@pytest.mark.parametrize(
    ("page", "rows"), [("laws.md", LAWS), ("threats.md", THREATS), ("catalogue.md", CATALOGUE)]
)
def test_every_promise_names_tests_that_exist(page: str, rows: list[str]) -> None:
    """No row is missing or without a test, and each test is in the file that it says."""
    named = shown(page)
    assert list(named) == rows
    reasons = (ROOT / "docs" / page).read_text(encoding="utf-8").count("| nothing to test")
    for row, tests in named.items():
        assert tests or row in NOTHING_YET, f"{page}: nothing shows {row}"
        for test in tests:
            assert exists(test), f"{page}, {row}: no {test}"
    assert reasons == sum(not named[row] for row in NOTHING_YET & named.keys())


def test_the_page_of_the_wire_lists_every_field() -> None:
    """Each kind of entry has its row, with all of its fields, those that must be there in bold."""
    text = (ROOT / "docs" / "wire.md").read_text(encoding="utf-8")
    rows = dict(
        re.findall(r"^\| `([a-z_]+\.[a-z_]+|message|step)` \| (.*) \|$", text, re.MULTILINE)
    )
    assert set(rows) == set(KINDS)
    for kind, model in KINDS.items():
        fields = {name: field for name, field in model.model_fields.items() if name not in COMMON}
        for name, field in fields.items():
            cell = f"**`{name}`**" if field.is_required() else f" `{name}`"
            assert cell in f" {rows[kind]}", f"{kind}: {name}"
        wanted = set(re.findall(r"\*\*`(\w+)`\*\*", rows[kind]))
        assert wanted == {name for name, field in fields.items() if field.is_required()}


def test_locks_name_no_index_and_every_hash() -> None:
    """The locks install from whatever index the reader uses, and only what was locked."""
    for name in ("requirements.lock", "requirements-dev.lock", "requirements-lowest.lock"):
        lock = (ROOT / name).read_text(encoding="utf-8")
        assert not re.search(r"https?://|file:|--index|--extra-index|--find-links| @ ", lock)
        pinned = re.findall(r"^([A-Za-z0-9_.-]+)(?:\[\w+\])?==.*?\\$", lock, re.MULTILINE)
        assert len(pinned) == len(re.findall(r"^[A-Za-z0-9]", lock, re.MULTILINE))
        assert "setuptools" in pinned
