"""Personas as rows: one that there is, a file that was looked at, an import. Pure."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from parley.personas.draft import KeyReport
from parley.personas.errors import PersonaRefused
from parley.personas.library import FoundPersona
from parley.personas.persona_file import Remark


@dataclass(frozen=True, slots=True)
class PersonaCheck:
    """What a look at one file came to: the name of its persona, or why it is refused."""

    file: str
    name: str = ""
    warnings: tuple[Remark, ...] = ()
    refused: PersonaRefused | None = None


@dataclass(frozen=True, slots=True)
class PersonaImport:
    """An import: the files that were written, by name, and what became of each key."""

    files: dict[str, Path]
    rows: tuple[KeyReport, ...]


def check_row(row: PersonaCheck) -> dict[str, Any]:
    """A look at one file as `--json` gives it."""
    refused = row.refused
    return {
        "file": row.file,
        "name": row.name or None,
        "warnings": [asdict(remark) for remark in row.warnings],
        "refused": None if refused is None else {"line": refused.line, "text": refused.reason},
    }


def persona_row(persona: FoundPersona) -> dict[str, Any]:
    """A persona as `--json` gives it, without its body."""
    row = asdict(persona.persona)
    del row["body"]
    foreign = row.pop("foreign")
    return {**row, "source": persona.source, "foreign": foreign}
