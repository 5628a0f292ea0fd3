"""Where personas come from: the bundled cast, and files of one's own, which win.

The only module of the package that reads files.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from parley.personas.errors import PersonaNotFound, PersonaRefused
from parley.personas.front_matter import MAX_TEXT
from parley.personas.persona import Persona
from parley.personas.persona_file import PersonaReading, Remark, parse_persona

_BUNDLED: Final = "bundled"  # where a persona of the cast is found
_MAX_BYTES: Final = 4 * MAX_TEXT  # UTF-8 has at most four a character


@dataclass(frozen=True, slots=True)
class FoundPersona:
    """A persona and where it was found: the path of its file, or `bundled`."""

    persona: Persona
    source: str
    warnings: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Roster:
    """Everyone who can be seated, by name, and the files that cannot be read as a persona."""

    personas: dict[str, FoundPersona]
    refused: tuple[PersonaRefused, ...] = ()


def bundled_cast() -> dict[str, Persona]:
    """The cast that comes with Parley, by name, in alphabetical order."""
    return {name: entry.persona for name, entry in _cast().items()}


def find_all(folders: Sequence[str | Path] = ()) -> Roster:
    """Everyone: files of `folders` before the cast, an earlier folder before a later one.

    Raises `PersonaRefused` for a folder that cannot be read; files in it that
    are no persona are listed in `refused`. A README.md is not looked at.
    """
    personas: dict[str, FoundPersona] = {}
    refused: list[PersonaRefused] = []
    for folder in folders:
        here: dict[str, FoundPersona] = {}
        for path in files_of(Path(folder).expanduser()):
            try:
                persona = _read_with_source(path)
                _claim(here, persona)
            except PersonaRefused as error:
                refused.append(error)
        personas = {**here, **personas}
    personas = {**_cast(), **personas}
    return Roster(dict(sorted(personas.items())), tuple(refused))


def find(name: str, folders: Sequence[str | Path] = ()) -> Persona:
    """The persona called `name`, or that of the file where `name` is a path.

    A path has a slash or ends in `.md`. Raises `PersonaNotFound`, which names
    the nearest one there is, or `PersonaRefused`.
    """
    return find_with_source(name, folders).persona


def find_with_source(name: str, folders: Sequence[str | Path] = ()) -> FoundPersona:
    """`find`, with where it was found and what is odd about it."""
    if is_path(name):
        return _read_with_source(Path(name).expanduser())
    everyone = find_all(folders)
    for error in everyone.refused:
        if Path(error.source).stem == name:
            raise error
    if name not in everyone.personas:
        raise PersonaNotFound(name, everyone.personas)
    return everyone.personas[name]


def is_path(name: str) -> bool:
    """Whether `name` is that of a file: it has a slash, or ends in `.md`."""
    return "/" in name or name.endswith(".md")


def read_file(path: Path) -> PersonaReading:
    """The persona in the file at `path`. Raises `PersonaRefused`."""
    return parse_persona(read_text(path), str(path))


def read_text(path: Path) -> str:
    """What the file at `path` holds, as text. Raises `PersonaRefused`."""
    try:
        if path.exists() and not path.is_file():
            raise PersonaRefused(str(path), "is no file")
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PersonaRefused(str(path), f"cannot be read: {reason}") from None
    if len(data) > _MAX_BYTES:
        raise PersonaRefused(str(path), f"is larger than {_MAX_BYTES} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"is not UTF-8: {error.reason} at byte {error.start}"
        raise PersonaRefused(str(path), reason, line) from None


def files_of(folder: Path) -> list[Path]:
    """The files of `folder` that are to be personas, by name: `*.md`, but for README.md."""
    try:
        inside = sorted(folder.iterdir())
    except OSError as error:
        reason = f"is no folder of personas: {error.strerror}"
        raise PersonaRefused(str(folder), reason) from None
    return [path for path in inside if path.suffix == ".md" and path.stem.lower() != "readme"]


def _read_with_source(path: Path) -> FoundPersona:
    read = read_file(path)
    return FoundPersona(read.persona, str(path), read.warnings)


def _claim(here: dict[str, FoundPersona], persona: FoundPersona) -> None:
    """Puts `persona` among those of its folder. Raises `PersonaRefused` where its name is taken."""
    name = persona.persona.name
    if name in here:
        raise PersonaRefused(persona.source, f"is called {name!r}, as {here[name].source} is")
    here[name] = persona


@functools.cache
def _cast() -> dict[str, FoundPersona]:
    personas: dict[str, FoundPersona] = {}
    for name, text in sorted(_texts()):
        read = parse_persona(text, name)
        _claim(personas, FoundPersona(read.persona, _BUNDLED, read.warnings))
    return personas


def _texts() -> Iterator[tuple[str, str]]:
    files: Iterable[resources.abc.Traversable] = (resources.files(__package__) / "cast").iterdir()
    for file in files:
        if file.name.endswith(".md"):
            yield file.name, file.read_text(encoding="utf-8")
