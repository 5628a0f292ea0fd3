"""Entries, facts and receipts of the log as rows: what doors and files give of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from parley.bus.contract.drafts import Draft, Receipt
from parley.bus.entries import Record, Unknown
from parley.bus.log.replies import FactRecord


def log_row(record: Record | FactRecord) -> dict[str, Any]:
    """An entry or a fact as JSON-ready data, told apart by `type`."""
    if isinstance(record, FactRecord):
        return {"type": "fact", "seq": record.seq, "k": record.k, "fact": record.fact}
    place = {
        "type": "entry",
        "seq": record.seq,
        "n": record.n,
        "id": record.id,
        "t": record.received_ms,
    }
    if isinstance(record.entry, Unknown):
        return {**place, "entry": {"kind": record.entry.kind}, "unreadable": True}
    return {**place, "entry": _entry_fields(record.entry)}


def _entry_fields(entry: Any) -> dict[str, Any]:
    """An entry as it was read from the log, as JSON-ready data without its defaults."""
    row: dict[str, Any] = msgspec.to_builtins(entry)
    return {key: value for key, value in row.items() if value not in (None, [], {}, ())}


def receipt_row(receipt: Receipt, id: str) -> dict[str, Any]:
    """Where an entry stands that was published under `id`."""
    return {"seq": receipt.seq, "n": receipt.n, "id": id, "duplicate": receipt.duplicate}


def receipt_rows(drafts: Sequence[Draft], receipts: Sequence[Receipt]) -> list[dict[str, Any]]:
    """The receipts of a batch, in its order."""
    pairs = zip(drafts, receipts, strict=True)
    return [receipt_row(receipt, draft.id) for draft, receipt in pairs]
