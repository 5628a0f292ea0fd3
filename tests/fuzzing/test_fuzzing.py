"""Whatever bytes come from elsewhere, each reader of them reads or refuses them, and soon."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzzing.fuzz import CORPUS, run_cases, stumble
from tests.fuzzing.readers import readers

SHORT, LONG = 150, 1_000_000
KEPT = sorted(file for file in CORPUS.rglob("*") if file.is_file())


@pytest.mark.parametrize("name", sorted(readers()))
def test_no_reader_stumbles_over_foreign_bytes(name: str) -> None:
    """Samples cut, spliced, of other types and with what no text has."""
    assert run_cases(name, 0, SHORT) == {}


@pytest.mark.parametrize("file", KEPT, ids=lambda file: f"{file.parent.name} {file.name}")
def test_what_was_stumbled_over_once_is_read_or_refused(file: Path) -> None:
    """The cases that were kept."""
    reader = readers()[file.parent.name.replace("_", " ")]
    assert stumble(reader, file.read_bytes()) == ""


@pytest.mark.long
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", sorted(readers()))
def test_no_reader_stumbles_in_a_million_cases(name: str) -> None:
    """Hours; `python -m tests.fuzzing.fuzz --reader NAME --first N` goes on where one left off."""
    assert run_cases(name, 0, LONG) == {}
