"""Personas, for commands and doors: found, checked, brought from files of other tools."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from parley.personas.errors import PersonaRefused
from parley.personas.imports import import_text
from parley.personas.library import (
    FoundPersona,
    Roster,
    files_of,
    find_all,
    find_with_source,
    read_file,
    read_text,
)
from parley.personas.persona_text import write_persona
from parley.server.basics.disk_files import write_bytes
from parley.server.basics.errors import Failure, Misuse
from parley.server.rows.persona_rows import PersonaCheck, PersonaImport
from parley.server.settings import Settings


def list_personas(settings: Settings) -> Roster:
    """Who can be seated. Raises `Misuse` for a folder of the setting that cannot be read."""
    _folders(settings)
    return find_all(settings.personas)


def find_persona(settings: Settings, name: str) -> FoundPersona:
    """The persona of that name or file. Raises `PersonaError`, or `Misuse` as `list_personas`."""
    _folders(settings)
    return find_with_source(name, settings.personas)


def _folders(settings: Settings) -> None:
    for folder in settings.personas:
        if not Path(folder).expanduser().is_dir():
            raise Misuse(f"personas: {folder!r} is no directory; give one that holds persona files")


def check_personas(paths: Sequence[Path]) -> list[PersonaCheck]:
    """One row a file, in order; a directory stands for its persona files."""
    rows: list[PersonaCheck] = []
    for path in paths:
        try:
            files = files_of(path) if path.is_dir() else [path]
        except PersonaRefused as refused:
            rows.append(PersonaCheck(str(path), refused=refused))
            continue
        rows += map(_checked, files)
        if path.is_dir() and not files:
            rows.append(
                PersonaCheck(str(path), refused=PersonaRefused(str(path), "has no *.md file"))
            )
    return rows


def _checked(path: Path) -> PersonaCheck:
    try:
        read = read_file(path)
    except PersonaRefused as refused:
        return PersonaCheck(str(path), refused=refused)
    return PersonaCheck(str(path), read.persona.name, read.warnings)


def import_personas(file: Path, to: Path, *, force: bool) -> PersonaImport:
    """Imports `file` into the directory `to`, made where it is missing: all of it or nothing.

    Raises `PersonaRefused`, or `Failure` where a file is there and `force` is not given.
    """
    report = import_text(read_text(file), str(file))
    texts = {f"{persona.name}.md": write_persona(persona) for persona in report.personas}
    there = [to / name for name in texts if (to / name).exists()]
    if there and not force:
        raise Failure(f"{str(there[0])!r} is there; --force writes over it")
    for path in there:
        if not path.is_file():
            raise Failure(f"{str(path)!r} is no file; move it away")
    _put(to, texts)
    return PersonaImport({name.removesuffix(".md"): to / name for name in texts}, report.rows)


def _put(folder: Path, texts: dict[str, str]) -> None:
    """Writes all files beside their places first, so that a full disk leaves none of them."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".import-", dir=folder) as staged:
            for name, text in texts.items():
                write_bytes(Path(staged) / name, text.encode())
            for name in texts:
                os.replace(Path(staged) / name, folder / name)
    except OSError as error:
        raise Failure(f"cannot write to {str(folder)!r}: {error.strerror}") from None
