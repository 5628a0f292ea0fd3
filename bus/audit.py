"""The log's rows untouched: for export, import, fork and verify."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a log as it is stored: `body` is the entry's bytes, unread."""

    seq: int
    n: int
    id: str
    received_ms: int
    body: bytes
