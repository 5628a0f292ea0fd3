"""Entries of every kind, as JSON, one object a line, straight into a session's log."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ulid import ULID

from parley.bus.contract.drafts import Draft, Receipt
from parley.server.basics.entry_json import Wrong, admit, entry_of, id_of, object_in
from parley.server.basics.errors import BadTranscript, Failure, Misuse
from parley.server.runtime.connection import connected
from parley.server.settings import Settings


def drafts_in(path: Path) -> list[Draft]:
    """The entries in the file at `path` (`-`: stdin). The first wrong line is `BadTranscript`."""
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise Failure(f"cannot read {str(path)!r}: {error.strerror}") from None
    found = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                found.append(_draft(object_in(line.strip())))
            except Wrong as wrong:
                raise BadTranscript(f"line {number}", str(wrong)) from None
    if not found:
        raise Misuse("no entries to publish; give one JSON object a line")
    return found


def _draft(row: dict[str, Any]) -> Draft:
    draft = Draft(id_of(row, f"cli:{ULID()}"), entry_of(row, row.get("re")))
    admit(draft)
    return draft


async def publish(settings: Settings, session: str, drafts: list[Draft]) -> list[Receipt]:
    """Publishes all of them, in order."""
    async with connected(settings) as running:
        return await running.bus.publish(session, drafts)
