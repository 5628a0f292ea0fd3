"""docs/where.md leads to what is there: each file exists, and defines what is named in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "where.md"
ROW = re.compile(r"^\| (?!question|-)(.+) \| (.+) \|$", re.MULTILINE)
PLACE = re.compile(r"`([^`]+\.(?:py|lua|js))` `([^`]+)`")


def places() -> list[tuple[str, str]]:
    """Every file and name of the page, in its order."""
    return [place for _, where in ROW.findall(PAGE.read_text()) for place in PLACE.findall(where)]


@pytest.mark.parametrize(("file", "name"), places())
def test_a_place_is_where_the_page_says(file: str, name: str) -> None:
    assert name in set(names_in(ROOT / file))


def test_every_row_names_a_place_and_nothing_else() -> None:
    rows = ROW.findall(PAGE.read_text())
    assert len(rows) == len(re.findall(r"^\| (?!question)", PAGE.read_text(), re.MULTILINE))
    for question, where in rows:
        assert question.endswith("?")
        assert PLACE.sub("", where).strip(", ") == "", question


def names_in(file: Path) -> Iterator[str]:
    """What a file defines: methods behind their class and a dot, of a script its fences."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".lua":
        yield from re.findall(r"-- fence: (\w+)", text)
    elif file.suffix == ".js":
        yield from re.findall(r"^(?:export )?(?:function|class|const) (\w+)", text, re.MULTILINE)
    else:
        yield from _defined(ast.parse(text).body)


def _defined(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        if isinstance(node, ast.ClassDef):
            yield from (f"{node.name}.{below}" for below in _defined(node.body))
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))
