"""Personas, for commands and doors: found, checked, brought from files of other tools."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from parley.personas.errors import PersonaRefused
from parley.personas.imports import import_text
from parley.personas.library import Found, Roster, files_of, look_up, read_file, roster, text_of
from parley.personas.persona_text import write
from parley.server.basics.disk_files import write_bytes
from parley.server.basics.errors import Failure, Misuse
from parley.server.rows.persona_rows import Brought, Checked
from parley.server.settings import Settings


def everyone(settings: Settings) -> Roster:
    """Who can be seated. Raises `Misuse` for a folder of the setting that cannot be read."""
    _folders(settings)
    return roster(settings.personas)


def one(settings: Settings, name: str) -> Found:
    """The persona of that name or file. Raises `PersonaError`, or `Misuse` as `everyone`."""
    _folders(settings)
    return look_up(name, settings.personas)


def _folders(settings: Settings) -> None:
    for folder in settings.personas:
        if not Path(folder).expanduser().is_dir():
            raise Misuse(f"personas: {folder!r} is no directory; give one that holds persona files")


def checked(paths: Sequence[Path]) -> list[Checked]:
    """One row a file, in order; a directory stands for its persona files."""
    rows: list[Checked] = []
    for path in paths:
        try:
            files = files_of(path) if path.is_dir() else [path]
        except PersonaRefused as refused:
            rows.append(Checked(str(path), refused=refused))
            continue
        rows += map(_checked, files)
        if path.is_dir() and not files:
            rows.append(Checked(str(path), refused=PersonaRefused(str(path), "has no *.md file")))
    return rows


def _checked(path: Path) -> Checked:
    try:
        read = read_file(path)
    except PersonaRefused as refused:
        return Checked(str(path), refused=refused)
    return Checked(str(path), read.persona.name, read.warnings)


def bring(file: Path, to: Path, *, force: bool) -> Brought:
    """Imports `file` into the directory `to`, made where it is missing: all of it or nothing.

    Raises `PersonaRefused`, or `Failure` where a file is there and `force` is not given.
    """
    found = import_text(text_of(file), str(file))
    texts = {f"{persona.name}.md": write(persona) for persona in found.personas}
    there = [to / name for name in texts if (to / name).exists()]
    if there and not force:
        raise Failure(f"{str(there[0])!r} is there; --force writes over it")
    for path in there:
        if not path.is_file():
            raise Failure(f"{str(path)!r} is no file; move it away")
    _put(to, texts)
    return Brought({name.removesuffix(".md"): to / name for name in texts}, found.rows)


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
