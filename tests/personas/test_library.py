"""Where personas are found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from parley.personas.errors import PersonaNotFound, PersonaRefused
from parley.personas.library import bundled_cast, find, find_all, find_with_source


def put(path: Path, name: str, body: str = "You are.") -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"---\nname: {name}\ndescription: Speaks.\n---\n{body}\n")
    return path


def test_the_cast_is_found_by_name() -> None:
    """Without any folder."""
    assert find("skeptic") == bundled_cast()["skeptic"]
    assert find_with_source("skeptic").source == "bundled"


def test_an_own_file_wins_over_the_cast(tmp_path: Path) -> None:
    """And an earlier folder over a later one; a file's name is not that of its persona."""
    put(tmp_path / "one" / "a.md", "skeptic", "Mine.")
    put(tmp_path / "two" / "b.md", "skeptic", "Later.")
    put(tmp_path / "two" / "c.md", "extra")
    folders: list[str | Path] = [tmp_path / "one", str(tmp_path / "two")]
    assert find("skeptic", folders).body == "Mine."
    assert find_with_source("skeptic", folders).source == str(tmp_path / "one" / "a.md")
    assert set(find_all(folders).personas) == {*bundled_cast(), "extra"}


def test_a_path_names_a_file(tmp_path: Path) -> None:
    """A name with a slash, or one that ends in .md."""
    assert find(str(put(tmp_path / "x.txt", "one"))).name == "one"
    assert find(str(put(tmp_path / "y.md", "two"))).name == "two"


def test_a_name_that_nobody_has_brings_the_nearest() -> None:
    """Or says how to see them all."""
    with pytest.raises(PersonaNotFound, match="is 'skeptic' meant"):
        find("sceptic")
    with pytest.raises(PersonaNotFound, match="parley persona ls"):
        find("qqqqqqq")


def test_one_broken_file_does_not_hide_the_others(tmp_path: Path) -> None:
    """It is told of, and never gives way to a bundled one of its name."""
    put(tmp_path / "good.md", "good")
    put(tmp_path / "twin.md", "good")
    (tmp_path / "skeptic.md").write_text("no front matter")
    (tmp_path / "README.md").write_text("about this folder")
    everyone = find_all([tmp_path])
    assert find("good", [tmp_path]).name == "good"
    assert [Path(error.source).name for error in everyone.refused] == ["skeptic.md", "twin.md"]
    assert "is called 'good', as " in str(everyone.refused[1])
    with pytest.raises(PersonaRefused, match="no front matter"):
        find("skeptic", [tmp_path])


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """Missing, no file, no text, too long a name."""
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "latin.md").write_bytes(b"---\nname: \xe9\n---\n")
    (tmp_path / "large.md").write_bytes(b"x" * 1_100_000)
    for name, reason in (
        ("none.md", "No such file"), ("pipe.md", "is no file"), ("latin.md", "not UTF-8"),
        ("large.md", "larger than"), ("a" * 300 + ".md", "too long"), ("a\0.md", "null byte"),
    ):  # fmt: skip
        with pytest.raises(PersonaRefused, match=reason):
            find(str(tmp_path / name))
    with pytest.raises(PersonaRefused, match="is no folder of personas"):
        find_all([tmp_path / "none"])
