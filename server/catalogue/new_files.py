"""Scenarios and personas to begin one's own with: files that pass their check as they are."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import Final

from parley.server.basics.errors import Failure, Misuse

_NO_SLUG: Final = re.compile(r"[^a-z0-9]+")
_LONGEST: Final = 64  # of a persona's name


def write_scenario(path: Path, *, force: bool = False) -> Path:
    """Writes the file `path`, with `.yaml` where it has no ending. Raises `Failure`."""
    return _write(path if path.suffix else path.with_suffix(".yaml"), "new_scenario.yaml", force)


def write_persona(path: Path, *, force: bool = False) -> Path:
    """Writes the file `path`, with `.md` where it has no ending. Raises `Failure`, `Misuse`."""
    return _write(path if path.suffix else path.with_suffix(".md"), "new_persona.md", force)


def _write(path: Path, template: str, force: bool) -> Path:
    slug = _NO_SLUG.sub("-", path.stem.lower()).strip("-")[:_LONGEST].strip("-")
    if not slug or slug == "parley":
        raise Misuse(f"{str(path)!r}: a name has small letters, digits and dashes, not 'parley'")
    text = (resources.files("parley.server") / "data" / template).read_text(encoding="utf-8")
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text.format(slug=slug, title=slug.replace("-", " ").capitalize()))
    except FileExistsError:
        raise Failure(f"{str(path)!r} is there already; --force writes over it") from None
    except OSError as error:
        raise Failure(f"cannot write {str(path)!r}: {error.strerror}") from None
    return path
