"""Entries of every kind, as JSON, one object a line, straight into a session's log."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from parley.bus.contract.drafts import Draft, new_id
from parley.server.basics.entry_json import (
    InvalidField,
    check_draft,
    parse_entry,
    parse_object,
    read_id,
)
from parley.server.basics.errors import BadTranscript, Failure, Misuse


def read_drafts(path: Path) -> list[Draft]:
    """The entries in the file at `path` (`-`: stdin). The first wrong line is `BadTranscript`."""
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise Failure(f"cannot read {str(path)!r}: {error.strerror}") from None
    drafts = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                drafts.append(_draft(parse_object(line.strip())))
            except InvalidField as wrong:
                raise BadTranscript(f"line {number}", str(wrong)) from None
    if not drafts:
        raise Misuse("no entries to publish; give one JSON object a line")
    return drafts


def _draft(row: dict[str, Any]) -> Draft:
    draft = Draft(read_id(row, f"cli:{new_id()}"), parse_entry(row, row.get("re")))
    check_draft(draft)
    return draft
