"""What `parley` itself exports: few names, typed, loaded when asked for, each on its page."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import parley
from parley.bus.contract import errors as contract_errors
from parley.memory import errors
from parley.server.library.opened_session import OpenSession

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", parley.__all__)
def test_each_public_name_is_there_and_on_its_page(name: str) -> None:
    """`from parley import NAME` works, and docs/python.md says what it is."""
    assert getattr(parley, name).__name__ == name
    assert f"`{name}`" in (ROOT / "docs" / "python.md").read_text("utf-8")


def test_type_checkers_see_the_names_that_programs_get() -> None:
    """The imports for type checkers and the table of modules are the same list as `__all__`."""
    tree = ast.parse((ROOT / "src" / "parley" / "__init__.py").read_text("utf-8"))
    typed = {
        (f"{node.module}", alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("parley.")
        for alias in node.names
    }
    assert {name for _, name in typed} == set(parley.__all__)
    assert all(getattr(parley, name).__module__.startswith("parley.") for _, name in typed)
    assert sorted(parley.__all__) == parley.__all__
    assert set(parley.__all__) <= set(dir(parley))


def test_an_unknown_name_is_refused_as_of_any_module() -> None:
    """No name is made up."""
    with pytest.raises(AttributeError, match="has no attribute 'Parliament'"):
        _ = parley.Parliament


LIBRARY = """
import asyncio, sys
from parley import Memory, Session, __all__
import parley

for name in __all__:
    getattr(parley, name)
memory = Memory()
memory.say("Ana", "I propose a walk.")
memory.context("Ben"), memory.decisions, memory.stats
memory.save("walk.json")
Memory.load("walk.json")

async def talk():
    async with Session.open("walk", redis=None) as s:
        await s.say("Ana", "I propose a walk.")
        await s.context("Ben")
        await s.save("walk.json")

asyncio.run(talk())
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""

COMMAND = """
import sys
from parley.server.cli.main import main

try:
    main(["watch", "x", "--nothing"])
finally:
    print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def test_what_the_command_line_needs_is_imported_by_it_alone(tmp_path: Path) -> None:
    """Not by `import parley`, nor by a program that uses a memory and a session."""
    of_the_command = {"typer", "rich", "prompt_toolkit"}
    loaded = []
    for program in (LIBRARY, COMMAND):
        ran = subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True,
            env={**os.environ, "PARLEY_DATA": str(tmp_path / "data")}, timeout=120, check=False,
        )  # fmt: skip
        assert ran.stdout, ran.stderr
        loaded.append(of_the_command & set(ran.stdout.splitlines()[-1].split()))
    assert loaded[0] == set()
    assert "typer" in loaded[1]  # so the names above are those that it would load


def test_the_links_to_the_rooms_are_relative() -> None:
    """A checkout may lie in a folder of any name, and be moved."""
    links = [path for path in (ROOT / "src" / "parley").iterdir() if path.is_symlink()]
    assert {str(link.readlink()) for link in links} == {
        f"../../{room}" for room in ("bus", "listeners", "memory", "personas", "server")
    }


RAISED = r"`([A-Z]\w+)`"


@pytest.mark.parametrize("kind", [parley.Memory, OpenSession, parley.Session])
def test_what_calls_raise_is_in_the_table_of_errors(kind: type) -> None:
    """Each error of Parley that a docstring says is raised is on the page of the library."""
    page = (ROOT / "docs" / "python.md").read_text("utf-8").partition("## Entries and errors")[2]
    functions = [kind, *(getattr(kind, name) for name in vars(kind) if not name.startswith("_"))]
    texts = [inspect.getdoc(function) or "" for function in functions]
    raised = {name for text in texts for name in re.findall(RAISED, text.partition("Raises")[2])}
    ours = {name for name in raised if hasattr(contract_errors, name) or hasattr(errors, name)}
    assert ours
    assert not {name for name in ours if f"`{name}`" not in page}
