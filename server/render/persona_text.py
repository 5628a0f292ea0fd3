"""Personas in words, or as JSON. What a file says is shown with nothing hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from rich.text import Text

from parley.memory.text.plain_text import clip
from parley.personas.draft import one_line
from parley.personas.library import FoundPersona, Roster
from parley.personas.persona_text import write_persona
from parley.server.basics.output import (
    count_of,
    escape,
    new_table,
    print_json,
    print_notice,
    stdout,
    table_cell,
    write_stdout,
)
from parley.server.rows.persona_rows import PersonaCheck, PersonaImport, check_row, persona_row

_ABOUT: Final = 100  # characters of a description in a listing


def show_roster(everyone: Roster, json: bool) -> None:
    """One persona a line; files that are none are told of on stderr."""
    table = new_table("name", "from", "listens for", "speaks")
    for name, persona in everyone.personas.items():
        if json:
            print_json(persona_row(persona))
            continue
        description = clip(one_line(persona.persona.description), _ABOUT)
        interests = ", ".join(persona.persona.interests)
        table.add_row(*map(table_cell, (name, persona.source, interests, description)))
    if not json:
        stdout().print(table)
    for refused in everyone.refused:
        print_notice(f"left out: {refused}")


def show_persona(persona: FoundPersona, raw: bool, json: bool) -> None:
    """The persona as a file; where it comes from and what is odd goes to stderr."""
    if json:
        print_json({**persona_row(persona), "body": persona.persona.body})
        return
    text = write_persona(persona.persona)
    if raw:
        write_stdout(text.encode())
        return
    stdout().print(Text(escape(text.removesuffix("\n"), keep_newlines=True)))
    print_notice(f"from {persona.source}")
    for remark in persona.warnings:
        print_notice(_place(persona.source, remark.line) + f"warning: {remark.text}")


def show_checks(persona_checks: Sequence[PersonaCheck], json: bool) -> None:
    """One line a finding, and one for each file that is as it should be."""
    console = stdout()
    for row in persona_checks:
        if json:
            print_json(check_row(row))
            continue
        if row.refused is not None:
            console.print(table_cell(f"{row.refused.args[0]}"))
        for remark in row.warnings:
            console.print(table_cell(_place(row.file, remark.line) + f"warning: {remark.text}"))
        if row.refused is None and not row.warnings:
            console.print(table_cell(f"{row.file}: {row.name}"))
    refused = sum(row.refused is not None for row in persona_checks)
    odd = sum(len(row.warnings) for row in persona_checks)
    print_notice(
        f"{count_of(len(persona_checks), 'file')}: {refused} refused, {count_of(odd, 'warning')}"
    )


def show_import(brought: PersonaImport, to: Path, json: bool) -> None:
    """What became of each key, then which files there are now."""
    table = new_table("persona", "key", "became", "")
    for row in brought.rows:
        if json:
            print_json(asdict(row))
        else:
            table.add_row(*map(table_cell, (row.persona, row.key, row.fate, row.note)))
    if not json:
        stdout().print(table)
    names = ", ".join(brought.files)
    print_notice(f"{count_of(len(brought.files), 'persona')} in {to}: {names}")


def _place(file: str, line: int | None) -> str:
    return f"{file}: " if line is None else f"{file}:{line}: "
