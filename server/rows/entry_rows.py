"""Entries and facts of the log as rows: what doors and files give of them. Pure."""

from __future__ import annotations

from typing import Any

import msgspec

from parley.bus.entries import Record, Unknown
from parley.bus.log.replies import FactRecord


def log_row(one: Record | FactRecord) -> dict[str, Any]:
    """An entry or a fact as JSON-ready data, told apart by `type`."""
    if isinstance(one, FactRecord):
        return {"type": "fact", "seq": one.seq, "k": one.k, "fact": one.fact}
    place = {"type": "entry", "seq": one.seq, "n": one.n, "id": one.id, "t": one.received_ms}
    if isinstance(one.entry, Unknown):
        return {**place, "entry": {"kind": one.entry.kind}, "unreadable": True}
    return {**place, "entry": entry_fields(one.entry)}


def entry_fields(entry: Any) -> dict[str, Any]:
    """An entry as it was read from the log, as JSON-ready data without its defaults."""
    found: dict[str, Any] = msgspec.to_builtins(entry)
    return {key: value for key, value in found.items() if value not in (None, [], {}, ())}
