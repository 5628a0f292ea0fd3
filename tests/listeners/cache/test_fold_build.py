"""The build of the fold: a hash of all that decides what a log comes to, and of nothing else."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from parley.listeners.cache import fold_build as fold_build_module
from parley.listeners.cache.fold_build import (
    PACKAGE,
    READING,
    fold_build,
    hash_sources,
    list_sources,
)
from parley.memory.state.memory import FOLD


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the fold's sources elsewhere, without links, as a wheel has them."""
    for name in [*list_sources(PACKAGE), READING]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(f"{PACKAGE}/{name}", tmp_path / name)
    return tmp_path


def hashed(package: Path) -> str:
    hash_sources.cache_clear()
    return hash_sources(str(package))


def test_it_is_the_version_and_the_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    assert re.fullmatch(rf"{FOLD}-[0-9a-f]{{16}}", fold_build())
    digest = fold_build().partition("-")[2]
    monkeypatch.setattr(fold_build_module, "FOLD", str(int(FOLD) + 1))
    assert fold_build() == f"{int(FOLD) + 1}-{digest}"


def test_it_is_the_same_wherever_the_sources_are(package: Path) -> None:
    """What Python leaves beside them counts for nothing."""
    cached = package / "memory" / "__pycache__"
    cached.mkdir()
    (cached / "errors.cpython-311.pyc").write_bytes(b"compiled")
    assert hashed(package) == hash_sources(PACKAGE)


@pytest.mark.parametrize(
    "name",
    [
        "memory/fold/apply.py", "memory/packs/en@1.json", "memory/extraction/prose/english.json",
        "bus/entries/messages.py", READING,
    ],
)  # fmt: skip
def test_it_changes_with_every_byte(name: str, package: Path) -> None:
    """Of code, packs, tables, entries and how they are read."""
    with (package / name).open("ab") as file:
        file.write(b"\n")
    assert hashed(package) != hash_sources(PACKAGE)


def test_it_changes_with_the_names(package: Path) -> None:
    """A file that is added, gone or called otherwise."""
    found = {hashed(package)}
    (package / "memory" / "more.py").touch()
    found.add(hashed(package))
    (package / "memory" / "more.py").rename(package / "memory" / "other.py")
    found.add(hashed(package))
    (package / "memory" / "packs" / "de@1.json").unlink()
    found.add(hashed(package))
    assert len(found) == 4


def test_without_sources_it_is_refused(tmp_path: Path) -> None:
    """Rather than that all such builds are taken for one."""
    with pytest.raises(RuntimeError, match="install its wheel anew"):
        hash_sources(str(tmp_path))


def test_the_fold_uses_no_module_beyond_them() -> None:
    """Of Parley's own: what it used besides would change it, and not the build."""
    sources = {name for name in [*list_sources(PACKAGE), READING] if name.endswith(".py")}
    for name in sorted(sources):
        for module in _imported(ast.parse(Path(PACKAGE, name).read_bytes())):
            file = module.removeprefix("parley.").replace(".", "/")
            assert sources & {f"{file}.py", f"{file}/__init__.py"}, f"{name} imports {module}"


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("parley."):
            yield str(node.module)
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.startswith("parley"))
