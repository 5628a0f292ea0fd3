"""Entries as readers over HTTP may see them: no secret ballot, and nobody's notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from parley.bus.entries import Record
from parley.memory.state.item_state import Fact
from parley.server.rows.entry_rows import log_row

_CAST: Final = "ballot.cast"
_NOTES: Final = {"note.written": "content", "note.revised": "text"}  # by kind, where the words are
_KEPT: Final = ("choice", "content")


def as_shown(record: Record, facts: Sequence[Fact] = ()) -> dict[str, Any]:
    """An entry as JSON-ready data; what was chosen only where its fact says so too.

    The fact of a ballot in a secret vote does not, nor that of one that did not count.
    """
    row = log_row(record)
    if record.entry.kind in _NOTES:
        row["entry"].pop(_NOTES[record.entry.kind], None)
    if record.entry.kind == _CAST and not any(
        fact.kind == _CAST and "choice" in fact.data for fact in facts
    ):
        row["entry"] = {key: value for key, value in row["entry"].items() if key not in _KEPT}
    return row
