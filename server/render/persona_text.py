"""Personas in words, or as JSON. What a file says is shown with nothing hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from rich.text import Text

from parley.memory.text.plain_text import clip
from parley.personas.draft import one_line
from parley.personas.library import Found, Roster
from parley.personas.persona_text import write
from parley.server.basics.output import cell, emit, emit_bytes, listing, many, shown, stdout, tell
from parley.server.rows.persona_rows import Brought, Checked, check_row, persona_row

_ABOUT: Final = 100  # characters of a description in a listing


def show_roster(everyone: Roster, json: bool) -> None:
    """One persona a line; files that are none are told of on stderr."""
    table = listing("name", "from", "listens for", "speaks")
    for name, found in everyone.found.items():
        if json:
            emit(persona_row(found))
            continue
        persona = found.persona
        about = clip(one_line(persona.description), _ABOUT)
        interests = ", ".join(persona.interests)
        table.add_row(*map(cell, (name, found.source, interests, about)))
    if not json:
        stdout().print(table)
    for refused in everyone.refused:
        tell(f"left out: {refused}")


def show_persona(found: Found, raw: bool, json: bool) -> None:
    """The persona as a file; where it comes from and what is odd goes to stderr."""
    if json:
        emit({**persona_row(found), "body": found.persona.body})
        return
    text = write(found.persona)
    if raw:
        emit_bytes(text.encode())
        return
    stdout().print(Text(shown(text.removesuffix("\n"), keep_newlines=True)))
    tell(f"from {found.source}")
    for remark in found.warnings:
        tell(_place(found.source, remark.line) + f"warning: {remark.text}")


def show_checks(found: Sequence[Checked], json: bool) -> None:
    """One line a finding, and one for each file that is as it should be."""
    console = stdout()
    for row in found:
        if json:
            emit(check_row(row))
            continue
        if row.refused is not None:
            console.print(cell(f"{row.refused.args[0]}"))
        for remark in row.warnings:
            console.print(cell(_place(row.file, remark.line) + f"warning: {remark.text}"))
        if row.refused is None and not row.warnings:
            console.print(cell(f"{row.file}: {row.name}"))
    refused = sum(row.refused is not None for row in found)
    odd = sum(len(row.warnings) for row in found)
    tell(f"{many(len(found), 'file')}: {refused} refused, {many(odd, 'warning')}")


def show_import(brought: Brought, to: Path, json: bool) -> None:
    """What became of each key, then which files there are now."""
    table = listing("persona", "key", "became", "")
    for row in brought.rows:
        if json:
            emit(asdict(row))
        else:
            table.add_row(*map(cell, (row.persona, row.key, row.fate, row.note)))
    if not json:
        stdout().print(table)
    names = ", ".join(brought.files)
    tell(f"{many(len(brought.files), 'persona')} in {to}: {names}")


def _place(file: str, line: int | None) -> str:
    return f"{file}: " if line is None else f"{file}:{line}: "
