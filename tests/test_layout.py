"""The layout of the code: rooms of a size to take in, imports that go one way, unique names."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
PACKAGES: Final = ("bus", "memory", "personas", "listeners", "server")
MOST_MODULES: Final = 15  # what a reader takes in at a glance
RANK: Final = {"bus": 0, "memory": 1, "personas": 1, "listeners": 2, "server": 3}


Edge = tuple[Path, Path]


def modules() -> list[Path]:
    """Every module of the five packages, as a path below the root."""
    return sorted(
        file.relative_to(ROOT) for package in PACKAGES for file in (ROOT / package).rglob("*.py")
    )


def imports(file: Path) -> Iterator[Path]:
    """The modules of Parley that `file` imports anywhere in it."""
    for node in ast.walk(ast.parse((ROOT / file).read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith("parley."):
                yield from _module(name.split(".")[1:])


def _module(parts: list[str]) -> Iterator[Path]:
    for words in (parts, parts[:-1]):
        for file in (Path(*words).with_suffix(".py"), Path(*words, "__init__.py")):
            if words and (ROOT / file).is_file():
                yield file
                return


def edges() -> dict[tuple[Path, Path], list[Edge]]:
    """The imports between two rooms, by the pair of their folders."""
    between: dict[tuple[Path, Path], list[Edge]] = defaultdict(list)
    for importer in modules():
        for imported in imports(importer):
            if importer.parent != imported.parent:
                between[importer.parent, imported.parent].append((importer, imported))
    return between


def rooms() -> dict[Path, list[Path]]:
    """The modules of each folder, without its `__init__`."""
    folders: dict[Path, list[Path]] = defaultdict(list)
    for file in modules():
        folders[file.parent]
        if file.name != "__init__.py":
            folders[file.parent].append(file)
    return folders


@pytest.mark.parametrize("room", rooms(), ids=str)
def test_a_room_has_a_door_and_few_modules(room: Path) -> None:
    """Its `__init__` says in some lines what it holds; a sixteenth module makes two rooms of it."""
    door = ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text("utf-8"))) or ""
    assert len(door.splitlines()) >= 3, f"{room}/__init__.py does not say what the room holds"
    assert len(rooms()[room]) <= MOST_MODULES


def test_no_two_rooms_import_each_other_and_none_goes_in_a_circle() -> None:
    """The order of the rooms can be written down, the lowest first."""
    graph: dict[Path, set[Path]] = defaultdict(set)
    for importer, imported in edges():
        graph[importer].add(imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = error.args[1]
        ways = [edges().get((later, earlier), []) for earlier, later in pairwise(circle)]
        pytest.fail(f"rooms in a circle: {circle}: {ways}")


def test_imports_point_down() -> None:
    """server > listeners > memory | personas > bus."""
    climbing = [
        edge
        for (importer, imported), names in edges().items()
        for edge in names
        if importer.parts[0] != imported.parts[0]
        and RANK[importer.parts[0]] <= RANK[imported.parts[0]]
    ]
    assert not climbing


@pytest.mark.parametrize("package", PACKAGES)
def test_a_file_name_means_one_thing_in_its_package(package: str) -> None:
    """Nobody has to tell two `state.py` apart."""
    places: dict[str, list[Path]] = defaultdict(list)
    for file in modules():
        if file.parts[0] == package and file.name not in ("__init__.py", "__main__.py"):
            places[file.name].append(file)
    assert not {name: files for name, files in places.items() if len(files) > 1}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_the_map_of_the_rooms_is_the_tree(page: str) -> None:
    """Each room below a package is named once in the table of its page, and no other."""
    rows = [
        line for line in (ROOT / page).read_text("utf-8").splitlines() if line.startswith("| `")
    ]
    for package in PACKAGES:
        row = next(row for row in rows if row.startswith(f"| `{package}/`"))
        there = {
            folder.name
            for folder in (ROOT / package).iterdir()
            if (folder / "__init__.py").exists()
        }
        missing = {name for name in there if f"`{name}`" not in row}
        assert not missing, f"{page} does not name {sorted(missing)} of {package}"
